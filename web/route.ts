/**
 * Where the page is: `#/section/part/…`, each part percent-encoded, so that Back works and every place can be linked to.
 */
export const SECTIONS = ["tools", "resources", "prompts", "listen", "wire", "chat", "servers"] as const;
export type SectionName = (typeof SECTIONS)[number];

export interface Route {
  readonly section: SectionName;
  readonly path: readonly string[];
}

export function hrefTo(section: SectionName, ...path: readonly string[]): string {
  // Half a surrogate pair, which JSON can carry, has no encoding.
  return `#/${[section, ...path].map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`;
}

/** Undefined for fragments of another form, such as that of the skip link. */
export function parseRoute(fragment: string): Route | undefined {
  if (fragment === "" || fragment === "#" || fragment === "#/") return { section: "tools", path: [] };
  if (!fragment.startsWith("#/")) return undefined;
  const [name, ...path] = fragment.slice(2).split("/").map(decoded);
  const section = SECTIONS.find((known) => known === name);
  return section && { section, path };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // Somebody typed a stray percent sign.
  }
}
