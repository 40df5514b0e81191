/** What a tool says of itself, as far as it can be shown, and which headers a call of it needs. */
import type { JsonObject, Tool } from "../../src/client.ts";
import { encodeHeaderValue } from "../../src/protocol/header-value.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { planParamHeaders, valueAt } from "../../src/schema/param-headers.ts";
import { asText, h } from "../dom.ts";

/** Servers say these of their own tools, and need not keep to them. */
const HINTS = [
  ["readOnlyHint", true, "read only", "calm"],
  ["destructiveHint", true, "destructive", "alarm"],
  ["idempotentHint", true, "may be repeated", ""],
  ["openWorldHint", true, "reaches outside", ""],
] as const;

export function titleOf({ name, title, annotations }: Tool): string {
  return [title, annotations?.title].find((text) => typeof text === "string" && text !== "") ?? name;
}

export function chipsOf({ annotations }: Tool): HTMLElement[] {
  const said: JsonObject = isObject(annotations) ? annotations : {};
  return HINTS.flatMap(([hint, value, label, tone]) =>
    // A tool that only reads destroys nothing, whatever else it says.
    said[hint] === value && !(hint === "destructiveHint" && said["readOnlyHint"] === true)
      ? [h("span", { class: `chip ${tone}`, title: `The server says so (${hint}).` }, label)]
      : [],
  );
}

/** The `Mcp-Param-*` headers of a call, encoded. None for schemas that break the rules, whose tools are not listed anyway. */
export function paramHeadersOf({ inputSchema }: Tool, args: JsonObject): [string, string][] {
  try {
    return planParamHeaders(inputSchema).flatMap(({ header, path }): [string, string][] => {
      const value = valueAt(args, path);
      return value === undefined || value === null ? [] : [[header, encodeHeaderValue(asText(value))]];
    });
  } catch {
    return [];
  }
}
