/**
 * What the page keeps in this browser between visits: JSON under keys of its own in `localStorage`.
 *
 * Contract: a browser that refuses storage makes everything forgetful, never broken. What is read is unknown until a guard
 * said otherwise, since older versions of this page, and people, write there too.
 */
const PREFIX = "mcp-edge:";

export function readStored<T>(key: string, guard: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + key) ?? "null");
    return guard(value) ? value : undefined;
  } catch {
    return undefined; // Refused, or not JSON.
  }
}

/** `undefined` removes it. */
export function writeStored(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Full, or refused.
  }
}

/** Keys without their prefix. */
export function storedKeys(): string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : []));
  } catch {
    return [];
  }
}
