/** What stands above a resource, a template or a prompt: how a person calls it, how a program does, and what it is. */
import { asText, h } from "../dom.ts";

export interface Described {
  readonly name?: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

export interface DetailHead {
  readonly heading: HTMLElement;
  readonly head: HTMLElement;
  readonly describe: (described: Described) => void;
}

export function titleOf({ title, name }: Described): string {
  return asText(title) || asText(name);
}

export function detailHead(code: string, described: Described): DetailHead {
  const heading = h("h2", { tabindex: -1 });
  const lead = h("p", { class: "lead" });
  const describe = (now: Described): void => {
    heading.textContent = titleOf(now) || code;
    lead.textContent = asText(now.description);
  };
  describe(described);
  return { heading, head: h("header", {}, heading, h("code", { class: "name" }, code), lead), describe };
}
