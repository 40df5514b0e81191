/**
 * The pinboard as an MCP server: boards of notes that people and models share.
 */
import { hubBus } from "../cloudflare.ts";
import { McpServer } from "../index.ts";
import { Subscriptions } from "../subscriptions.ts";
import type { Env } from "./env.ts";
import { ICONS } from "./icons.ts";
import { addPrompts } from "./prompts.ts";
import { addResources } from "./resources.ts";
import { addSlowTools } from "./slow-tools.ts";
import { addTools } from "./tools.ts";

export const server = new McpServer<Env>(
  {
    name: "pinboard",
    version: "0.1.0",
    title: "Pinboard",
    description: "Boards of notes that people and models share.",
    icons: ICONS.pin,
  },
  {
    instructions:
      "Notes live on boards. resources/list shows the boards there are; add_note creates a board with its first note. " +
      "Notes are numbered within their board, and search_notes gives the numbers that edit_note and delete_note want.",
    // Boards come and go. This is for clients that do not listen.
    listTtlMs: 60_000,
    subscriptions: new Subscriptions({ bus: hubBus(), tenant: () => "pinboard" }),
  },
);

addTools(server);
addSlowTools(server);
addResources(server);
addPrompts(server);
