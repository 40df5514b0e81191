/**
 * What a tool or a prompt may be called.
 *
 * @see spec 2026-07-28 server/tools#tool-names
 */

/** SHOULD — server/tools#tool-names: up to 128 characters. Other characters than the recommended ones are the author's choice. */
const MAX_NAME_LENGTH = 128;

/** @throws {TypeError} naming the entry */
export function assertName(kind: string, name: unknown): asserts name is string {
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME_LENGTH || !name.isWellFormed()) {
    throw new TypeError(`${kind} ${JSON.stringify(name)}: a name is a string of 1 to ${MAX_NAME_LENGTH} characters`);
  }
}
