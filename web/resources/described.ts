/** How a resource, a template or a prompt is called and what it is: as an entry of a list, and above what is shown of it. */
import { asText, h, iconUri } from "../dom.ts";
import { sizeText } from "../results/media-view.ts";
import type { PaneEntry } from "../shell/list-pane.ts";

export interface Described {
  readonly name?: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly icons?: unknown;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
}

export interface DetailHead {
  readonly heading: HTMLElement;
  readonly head: HTMLElement;
  readonly describe: (described: Described) => void;
}

function titleOf({ title, name }: Described, code: string): string {
  return asText(title || name || code);
}

export function entryOf(item: Described, key: string, href: string): PaneEntry {
  const { mimeType, size, description, icons } = item;
  const title = titleOf(item, key);
  const facts = [title === key ? "" : key, mimeType, typeof size === "number" ? sizeText(size) : "", description];
  return { key, href, title, hint: facts.filter(Boolean).map(asText).join(" · "), icon: iconUri(icons) };
}

export function detailHead(code: string, described: Described): DetailHead {
  const heading = h("h2", { tabindex: -1 });
  const lead = h("p", { class: "lead" });
  const describe = (now: Described): void => {
    heading.textContent = titleOf(now, code);
    lead.textContent = asText(now.description ?? "");
  };
  describe(described);
  return { heading, head: h("header", {}, heading, h("code", { class: "hint" }, code), lead), describe };
}
