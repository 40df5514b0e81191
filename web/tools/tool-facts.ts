/** What a tool says of itself, as far as it can be shown, and which of its arguments are mirrored into headers. */
import { objectOf } from "../text.ts";
import type { JsonObject, Tool } from "../../src/client.ts";
import { asText, h } from "../dom.ts";
import { headersOf } from "./code.ts";

/** Servers say these of their own tools, and need not keep to them. */
const HINTS = [
  ["readOnlyHint", "read only", "chip calm"],
  ["destructiveHint", "destructive", "chip alarm"],
  ["idempotentHint", "idempotent", "chip"],
  ["openWorldHint", "open world", "chip"],
] as const;

export function titleOf({ name, title, annotations }: Tool): string {
  return asText(title) || asText(annotations?.title) || name;
}

export function chipsOf({ annotations }: Tool): HTMLElement[] {
  const said = objectOf(annotations);
  return HINTS.flatMap(([hint, label, look]) =>
    said[hint] === true ? h("span", { class: look, title: "The server says so" }, label) : [],
  );
}

/** The headers of a call that mirror arguments. */
export function mirroredOf(tool: Tool, args: JsonObject): HTMLElement[] {
  return headersOf(tool, args)
    .filter(([name]) => name.startsWith("mcp-param-"))
    .map((header) => h("code", {}, header.join(": ")));
}
