/**
 * The tools of several servers under names that a model can call, and the way back from a name to its tool.
 *
 * Contract: names fit `^[a-zA-Z0-9_-]{1,64}$`, which both APIs insist on, and no two are the same.
 */
import type { Tool } from "../../src/client.ts";
import { asText } from "../text.ts";
import type { ModelTool } from "./model.ts";

/** As much of a server as naming its tools needs. */
export interface ToolSource {
  readonly name: string;
  readonly tools: readonly Tool[];
}

export interface OfferedTool<S extends ToolSource> {
  readonly source: S;
  readonly tool: Tool;
  readonly told: ModelTool;
}

/** Room for a number behind it. */
const MAX_NAME = 58;
/** Descriptions are the server's, and the person pays for each character. */
const MAX_DESCRIPTION = 4_000;

export function offer<S extends ToolSource>(sources: readonly S[]): Map<string, OfferedTool<S>> {
  const offered = new Map<string, OfferedTool<S>>();
  for (const source of sources) {
    for (const tool of source.tools) {
      const full = sources.length > 1 ? `${source.name.slice(0, 24)}__${tool.name}` : tool.name;
      const wanted = full.replace(/[^\w-]+/g, "_").slice(0, MAX_NAME) || "_";
      let name = wanted;
      for (let number = 2; offered.has(name); number++) name = `${wanted}_${number}`;
      const description = asText(tool.description).slice(0, MAX_DESCRIPTION);
      // Both APIs insist on objects at the top.
      offered.set(name, { source, tool, told: { name, description, schema: { ...tool.inputSchema, type: "object" } } });
    }
  }
  return offered;
}
