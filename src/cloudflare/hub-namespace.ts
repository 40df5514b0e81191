/**
 * Telling a Durable Object namespace from whatever else may stand where one is looked for.
 */

/** The runtime makes those of `exports` callable, so that they are functions to `typeof`. */
export function isNamespace(value: unknown): value is { getByName: unknown } {
  return typeof (Object(value) as { getByName?: unknown }).getByName === "function"; // Any object may have it.
}
