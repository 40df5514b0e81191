/** A section that is a list and what is chosen from it: the frame that resources and prompts share. */
import type { Section } from "../app.ts";
import { h } from "../dom.ts";
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
  readonly select: (key: string | undefined) => void;
  /** Undefined where there is no such thing. */
  readonly open: (path: readonly string[]) => DetailView | undefined;
}

/** `again()` opens what the address names once more, as when the list has come. */
export function browse({ section, back, hint, list, select, open }: BrowseOptions): Section & { again(): void } {
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
    const now = JSON.stringify(at);
    if (now === key && view !== undefined) return;
    key = now;
    view?.close?.();
    view = at.length === 0 ? undefined : open(at);
    detail.replaceChildren(
      view?.element ?? h("p", { class: "empty large" }, at.length === 0 ? hint : `“${at.at(-1) ?? ""}” is not there.`),
    );
  };
  return {
    element,
    again,
    show(path) {
      at = path;
      element.dataset["open"] = String(path.length > 0);
      select(path[0]);
      again();
      return view?.heading ?? element.querySelector("h2") ?? undefined;
    },
    close: () => view?.close?.(),
  };
}
