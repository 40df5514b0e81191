/**
 * Elements in one expression. Text goes in as text nodes only, so nothing a server says can become markup.
 */

export type Child = Node | string | undefined;
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
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** An element of index.html. @throws when it is not there, which is a fault of the page */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no #${id}`);
  return element;
}

let ids = 0;
/** An id for what labels and descriptions point at. */
export function freshId(): string {
  return `f${++ids}`;
}

const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/i;

/** A `data:` URI for an image block, or undefined when it is not an image this page shows. */
export function imageUri(mimeType: unknown, base64: unknown): string | undefined {
  if (typeof mimeType !== "string" || typeof base64 !== "string") return undefined;
  return IMAGE_TYPE.test(mimeType) && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
    ? `data:${mimeType};base64,${base64}`
    : undefined;
}

/** The first icon of a list that is itself an image, without a fetch that would tell a stranger who looks. */
export function iconUri(icons: unknown): string | undefined {
  if (!Array.isArray(icons)) return undefined;
  for (const icon of icons as unknown[]) {
    const src = typeof icon === "object" && icon !== null && "src" in icon ? icon.src : undefined;
    if (typeof src === "string" && src.length < 65_536 && /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i.test(src))
      return src;
  }
  return undefined;
}

/** What a server sent where a string belongs. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}

/** A link for `http:` and `https:`; anything else leads to a place on this page, if one is given, or stays text. */
export function linkOrText(uri: string, label: string, fragment?: string): HTMLElement {
  const safe = URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol);
  if (safe) return h("a", { href: uri, target: "_blank", rel: "noopener noreferrer" }, label);
  return fragment === undefined ? h("code", {}, label) : h("a", { href: fragment }, h("code", {}, label));
}
