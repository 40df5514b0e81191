/** Values as text, where there is no document as well. */

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
