/**
 * Where a text stops being JSON.
 *
 * `JSON.parse` says that it did, but not every engine says where, and none does so always. So here all that is whole is
 * replaced by a sign of the same length, from the inside; what can still begin a JSON text then ends at the fault.
 */
const STRING_OR_VALUE =
  /("(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|\b(?:true|false|null)\b/gi;
/** `§` is a string, `¤` any other value. */
const GROUP = /\[\s*(?:[§¤]\s*(?:,\s*[§¤]\s*)*)?\]|\{\s*(?:§\s*:\s*[§¤]\s*(?:,\s*§\s*:\s*[§¤]\s*)*)?\}/g;
const BEGINNING = /^\s*(?:\[\s*(?:[§¤]\s*,\s*)*|\{\s*(?:§\s*:\s*[§¤]\s*,\s*)*(?:§\s*:\s*)?)*(?:[§¤]\s*)?/;

/** `line 2, column 5`, both from 1; undefined when it is JSON. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const wholes = text.replace(STRING_OR_VALUE, (token, string) =>
      (string === undefined ? "¤" : "§").padEnd(token.length),
    );
    let [rest, before] = [wholes, ""];
    while (rest !== before) [rest, before] = [rest.replace(GROUP, (group) => "¤".padEnd(group.length)), rest];
    const lines = text.slice(0, BEGINNING.exec(rest)?.[0].length).split("\n");
    return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
  }
}
