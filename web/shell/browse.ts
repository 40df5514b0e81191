/** A section that is a list and what is chosen from it: the frame that tools, resources and prompts share. */
import type { Section } from "../app.ts";
import { h, jsonText } from "../dom.ts";
import { hrefTo, type SectionName } from "../route.ts";

export interface DetailView {
  readonly heading: HTMLElement;
  readonly element: HTMLElement;
  close?(): void;
}

export interface BrowseOptions {
  readonly section: SectionName;
  readonly back: string;
  /** What is shown before anything is chosen. */
  readonly hint: string;
  readonly list: readonly HTMLElement[];
  readonly select?: (key: string | undefined) => void;
  /** A text is shown as it is. Undefined where there is no such thing. */
  readonly open: (path: readonly string[]) => DetailView | string | undefined;
  /** What the server says of it: when that changes, it is opened anew. */
  readonly said?: (path: readonly string[]) => unknown;
  /** `open` has something for every path, and gives what it gave before for as long as that is right. */
  readonly keepsViews?: boolean;
}

/** `again()` opens what the address names once more, as when the list has come. */
export function browse(options: BrowseOptions): Section & { again(): void } {
  const { section, back, hint, list, select, open, said, keepsViews = false } = options;
  const detail = h("div", {});
  const backLink = h("a", { class: "back", href: hrefTo(section) }, back);
  const element = h(
    "div",
    { class: "split" },
    h("div", { class: "list" }, ...list),
    h("div", { class: "detail" }, backLink, detail),
  );
  let at: readonly string[] = [];
  let key = "";
  let view: DetailView | undefined;
  const again = (): void => {
    const now = jsonText([at, said?.(at)]);
    if (!keepsViews && now === key && view !== undefined) return;
    const found = at.length > 0 || keepsViews ? open(at) : hint;
    if (found !== undefined && found === view) return;
    key = now;
    view?.close?.();
    view = typeof found === "object" ? found : undefined;
    const text = typeof found === "string" ? found : `“${at.at(-1) ?? ""}” is not there.`;
    detail.replaceChildren(view?.element ?? h("p", { class: "empty large" }, text));
  };
  return {
    element,
    again,
    show(path) {
      at = path;
      element.dataset["open"] = String(path.length > 0);
      select?.(path[0]);
      again();
      return (path.length > 0 ? view?.heading : undefined) ?? element.querySelector("h2") ?? undefined;
    },
    close: () => view?.close?.(),
  };
}
