/**
 * The tools of several servers under names that a model can call, and the way back from a name to its tool.
 *
 * Contract: names fit `^[a-zA-Z0-9_-]{1,64}$`, which both APIs insist on, and no two are the same.
 */
import type { Tool } from "../../src/client.ts";
import type { JsonObject } from "../../src/client.ts";
import type { ModelTool } from "./model.ts";

/** As much of a server as naming its tools needs. */
export interface ToolSource {
  readonly name: string;
  readonly tools: readonly Tool[];
}

export interface OfferedTool<S extends ToolSource> extends ModelTool {
  readonly source: S;
  readonly tool: Tool;
}

const MAX_NAME = 64;
/** Descriptions are the server's, and the person pays for each character. */
const MAX_DESCRIPTION = 4_000;

export function offer<S extends ToolSource>(sources: readonly S[]): Map<string, OfferedTool<S>> {
  const offered = new Map<string, OfferedTool<S>>();
  for (const source of sources) {
    for (const tool of source.tools) {
      const wanted = sources.length > 1 ? `${plain(source.name).slice(0, 24)}__${plain(tool.name)}` : plain(tool.name);
      const name = freeName(wanted, offered);
      const description = [tool.title, tool.description].filter((text) => typeof text === "string").join("\n");
      offered.set(name, {
        name,
        description: description.slice(0, MAX_DESCRIPTION),
        schema: schemaOf(tool),
        source,
        tool,
      });
    }
  }
  return offered;
}

function plain(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, "_") || "_";
}

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let name = wanted.slice(0, MAX_NAME);
  for (let number = 2; taken.has(name); number++) {
    const ending = `_${number}`;
    name = wanted.slice(0, MAX_NAME - ending.length) + ending;
  }
  return name;
}

/** Both APIs insist on objects at the top. */
function schemaOf({ inputSchema }: Tool): JsonObject {
  return { ...inputSchema, type: "object" };
}
