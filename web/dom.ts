/**
 * Elements in one expression. Text goes in as text nodes only, so nothing a server says can become markup.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import { asText } from "./text.ts";

export { asText, jsonText } from "./text.ts";

/** What is nothing is left out. */
export type Child = Node | string | false | undefined;
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** `false` and undefined leave an attribute out, `true` sets it empty. Attribute names come from code, never from data. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function box(look: string, ...children: readonly Child[]): HTMLElement {
  return h("div", { class: look }, ...children);
}

/** An element of index.html. @throws when it is not there, which is a fault of the page */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`There is no #${id}`);
  return element;
}

/** Never submits a form. `act` gets the button, for a button whose label is what happened. */
export function button(label: string, act: (self: HTMLButtonElement) => void, look = "quiet"): HTMLButtonElement {
  const made = h("button", { type: "button", class: look }, label);
  made.addEventListener("click", () => act(made));
  return made;
}

const SAID_MS = 1_500;
/** Its label tells for a moment how it went, aloud as well. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const say = (what: string): void => {
    copy.textContent = what;
    setTimeout(() => (copy.textContent = label), SAID_MS);
  };
  const copy = button(label, () => {
    navigator.clipboard.writeText(text()).then(
      () => say("Copied"),
      () => say("Not allowed"),
    );
  });
  copy.ariaLive = "polite";
  return copy;
}

/** As a download, of a type that no browser opens. */
export function saveFile(name: string, data: BlobPart): void {
  const href = URL.createObjectURL(new Blob([data], { type: "application/octet-stream" }));
  h("a", { href, download: name }).click();
  // The download has its own hold on the data once it began.
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

let ids = 0;
/** An id for what labels and descriptions point at. */
export function freshId(): string {
  return `f${++ids}`;
}

const ICON = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i;
/** The first icon of a list that is itself an image, without a fetch that would tell a stranger who looks. */
export function iconUri(icons: unknown): string | undefined {
  const sources = [icons].flat().map((icon: unknown) => (isObject(icon) ? asText(icon["src"]) : ""));
  return sources.find((src) => src.length < 65_536 && ICON.test(src));
}

/** A link for `http:` and `https:`; anything else leads to a place on this page, if one is given, or stays text. */
export function linkOrText(uri: string, label: string, fragment?: string): HTMLElement {
  if (/^https?:\/\//i.test(uri)) return h("a", { href: uri, target: "_blank", rel: "noopener noreferrer" }, label);
  const code = h("code", {}, label);
  return fragment === undefined ? code : h("a", { href: fragment }, code);
}
