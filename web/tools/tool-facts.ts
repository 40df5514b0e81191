/** What a tool says of itself, as far as it can be shown, and which headers a call of it needs. */
import type { JsonObject, Tool } from "../../src/client.ts";
import { requestHeaders } from "../../src/client/request-headers.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { MODERN_VERSION } from "../../src/protocol/versions.ts";
import { type ParamHeader, planParamHeaders } from "../../src/schema/param-headers.ts";
import { asText, h } from "../dom.ts";

export type Header = readonly [name: string, value: string];

/** Servers say these of their own tools, and need not keep to them. */
const HINTS = [
  ["readOnlyHint", "read only", "calm"],
  ["destructiveHint", "destructive", "alarm"],
  ["idempotentHint", "may be repeated", ""],
  ["openWorldHint", "reaches outside", ""],
] as const;

export function titleOf({ name, title, annotations }: Tool): string {
  return asText(title) || asText(annotations?.title) || name;
}

export function chipsOf({ annotations }: Tool): HTMLElement[] {
  const said: JsonObject = isObject(annotations) ? annotations : {};
  return HINTS.flatMap(([hint, label, tone]) =>
    // A tool that only reads destroys nothing, whatever else it says.
    said[hint] === true && !(tone === "alarm" && said["readOnlyHint"] === true)
      ? h("span", { class: `chip ${tone}`, title: `The server says so (${hint}).` }, label)
      : [],
  );
}

/** Of a call, encoded. */
export function headersOf({ name, inputSchema }: Tool, args: JsonObject): Header[] {
  let paramHeaders: readonly ParamHeader[] = [];
  try {
    // The client mirrors whatever the dialect.
    paramHeaders = planParamHeaders({ ...inputSchema, $schema: undefined });
  } catch {
    // Beyond what can be read: then the client mirrors nothing either.
  }
  const request = { method: "tools/call", params: { name, arguments: args }, paramHeaders };
  return Object.entries(requestHeaders(request, MODERN_VERSION));
}

/** Those of them that mirror arguments. */
export function mirroredOf(tool: Tool, args: JsonObject): HTMLElement[] {
  return headersOf(tool, args)
    .filter(([name]) => name.startsWith("mcp-param-"))
    .map((header) => h("code", {}, header.join(": ")));
}
