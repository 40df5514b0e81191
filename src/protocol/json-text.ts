/** JSON from peers that may send anything. */

/** Undefined for what is no JSON, such as a page of some web server's, or is nested beyond the stack. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
