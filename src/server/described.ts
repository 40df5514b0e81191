/**
 * What an author says of an entry, as the lists show it: written as JSON once, when it is registered, and judged in that
 * form. What the author does with the definition afterwards changes nothing.
 *
 * @see spec 2026-07-28 schema#tool, schema#resource, schema#prompt, schema#icon, schema#annotations
 */
import { isObject } from "../protocol/json-rpc.ts";
import type { JsonObject } from "../protocol/types.ts";

type Test = (value: unknown) => boolean;
/** By member. A member that is absent is fine, unless it is the one that is required. */
type Tests = Readonly<Record<string, Test>>;

const isText: Test = (value) => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isName: Test = (value) => isText(value) && value !== "";
const isOneOf =
  (...choices: unknown[]): Test =>
  (value) =>
    choices.includes(value);
const isListOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const fits =
  (tests: Tests, required?: string): Test =>
  (value) =>
    isObject(value) && misfit(value, tests, required) === undefined;

const ICON: Tests = {
  // Our choice: nothing that could run as a script where a host shows it.
  src: (value) => /^(?:https?|data):/i.test(String(value)) && isText(value),
  mimeType: isText,
  sizes: isListOf(isText),
  theme: isOneOf("light", "dark"),
};
const LABELS: Tests = { title: isText, description: isText };
const ENTRY: Tests = { ...LABELS, icons: isListOf(fits(ICON, "src")), _meta: isObject };

export const SERVER: Tests = { ...ENTRY, websiteUrl: isText };
export const TOOL: Tests = {
  ...ENTRY,
  annotations: fits({
    title: isText,
    readOnlyHint: isFlag,
    destructiveHint: isFlag,
    idempotentHint: isFlag,
    openWorldHint: isFlag,
  }),
};
export const RESOURCE: Tests = {
  ...ENTRY,
  name: isName,
  mimeType: isText,
  size: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  annotations: fits({
    audience: isListOf(isOneOf("user", "assistant")),
    priority: (value) => typeof value === "number" && value >= 0 && value <= 1,
    lastModified: isText,
  }),
};
export const PROMPT: Tests = { ...ENTRY, arguments: isListOf(fits({ ...LABELS, name: isName, required: isFlag })) };

/** @throws {TypeError} naming the entry and the field */
export function toWire(where: string, described: JsonObject, tests: Tests): JsonObject {
  let wire: JsonObject;
  try {
    wire = JSON.parse(JSON.stringify(described)) as JsonObject; // An object without toJSON() stays one.
  } catch (cause) {
    throw new TypeError(`${where}: cannot be written as JSON`, { cause });
  }
  const field = misfit(wire, tests, tests === RESOURCE ? "name" : undefined);
  if (field !== undefined) throw new TypeError(`${where}: ${field} has a value or a type that it may not have`);
  return wire;
}

function misfit(value: JsonObject, tests: Tests, required?: string): string | undefined {
  return Object.keys(tests).find((field) => {
    const member = value[field];
    return member === undefined ? field === required : tests[field]?.(member) === false;
  });
}
