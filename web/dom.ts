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
  const write = async (): Promise<void> => navigator.clipboard.writeText(text());
  const copy = button(
    label,
    () =>
      void write().then(
        () => say("Copied"),
        () => say("Not allowed"),
      ),
  );
  copy.setAttribute("aria-live", "polite");
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

const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/i;

/** A `data:` URI for an image block (or of other `types`), or undefined when it is none that this page shows. */
export function imageUri(mimeType: unknown, base64: unknown, types = IMAGE_TYPE): string | undefined {
  if (typeof mimeType !== "string" || typeof base64 !== "string") return undefined;
  return types.test(mimeType) && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
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
  return typeof value === "string" ? value : jsonText(value);
}

/** Empty for undefined, an ellipsis for what is nested too deeply to be written. */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    return "…";
  }
}

/** A link for `http:` and `https:`; anything else leads to a place on this page, if one is given, or stays text. */
export function linkOrText(uri: string, label: string, fragment?: string): HTMLElement {
  const safe = URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol);
  if (safe) return h("a", { href: uri, target: "_blank", rel: "noopener noreferrer" }, label);
  return fragment === undefined ? h("code", {}, label) : h("a", { href: fragment }, h("code", {}, label));
}
