/**
 * The pinboard's tools that come with one answer. Those that take longer or ask back are in slow-tools.ts.
 */
import { image, type McpServer, ToolError } from "../index.ts";
import { ICONS } from "./icons.ts";
import { BOARD, BOARD_OF_SEARCH, COLOUR, NOTE_ID, NOTE_TEXT, STATS_OUTPUT } from "./schemas.ts";
import { announce } from "./announcement.ts";
import { boardNamed, type Env } from "./env.ts";
import { noSuchBoard, noSuchNote, noteLink, pinned, refusal, textFault } from "./answers.ts";
import { headline } from "./note.ts";
import { drawBoard, MAX_CARDS } from "./picture.ts";

const DEFAULT_LIMIT = 20;

export function addTools(server: McpServer<Env>): void {
  server.tool(
    "add_note",
    {
      title: "Add a note",
      description: "Pins a note to a board. The board comes into being with its first note.",
      icons: ICONS.add,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      inputSchema: {
        type: "object",
        properties: { board: BOARD, text: NOTE_TEXT, colour: COLOUR },
        required: ["board", "text"],
        additionalProperties: false,
      },
    },
    async ({ board, text, colour = "yellow" }, ctx) => {
      assertText(text);
      const added = await boardNamed(ctx.env, board).add({ text, colour });
      if ("refused" in added) throw new ToolError(refusal(added.refused));
      announce(ctx, { board, notes: [added.note.id], boardsChanged: added.first });
      return pinned(board, added.note);
    },
  );

  server.tool(
    "edit_note",
    {
      title: "Edit a note",
      description: "Changes the text or the colour of a note. What is left out stays as it is.",
      icons: ICONS.edit,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      inputSchema: {
        type: "object",
        properties: { board: BOARD, id: NOTE_ID, text: NOTE_TEXT, colour: COLOUR },
        required: ["board", "id"],
        additionalProperties: false,
      },
    },
    async ({ board, id, text, colour }, ctx) => {
      if (text === undefined && colour === undefined)
        throw new ToolError("Nothing to change: give a text, a colour, or both.");
      if (text !== undefined) assertText(text);
      const change = { ...(text !== undefined && { text }), ...(colour !== undefined && { colour }) };
      const edited = await boardNamed(ctx.env, board).edit(id, change);
      if (edited === undefined) throw await noSuchNote(ctx.env, board, id);
      if (edited.changed) announce(ctx, { board, notes: [id], boardsChanged: false });
      return [{ type: "text", text: `Changed note ${id} on “${board}”.` }, noteLink(board, edited.note)];
    },
  );

  server.tool(
    "search_notes",
    {
      title: "Search notes",
      description: "Finds the notes of a board that contain some text, newest first. Without a text: all of them.",
      icons: ICONS.search,
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: {
        type: "object",
        properties: {
          board: BOARD_OF_SEARCH,
          query: {
            type: "string",
            title: "Text to look for",
            maxLength: 200,
            description: "Upper and lower case count as the same.",
          },
          limit: {
            type: "integer",
            title: "At most",
            minimum: 1,
            maximum: 100,
            default: DEFAULT_LIMIT,
            description: "How many notes to return.",
          },
        },
        required: ["board"],
        additionalProperties: false,
      },
    },
    async ({ board, query = "", limit = DEFAULT_LIMIT }, { env }) => {
      const { notes, matches, size } = await boardNamed(env, board).find(query, limit);
      if (size === 0) throw await noSuchBoard(env, board);
      const about = query === "" ? "" : ` with “${headline(query)}”`;
      if (matches === 0) return `None of the ${size} notes on “${board}”${about}.`;
      const shown = notes.length < matches ? `The newest ${notes.length} of ${matches}` : `${matches}`;
      const summary = `${shown} ${matches === 1 ? "note" : "notes"}${about} on “${board}”:`;
      const lines = notes.map(({ id, colour, text }) => `${id}. [${colour}] ${text}`);
      return [{ type: "text", text: [summary, ...lines].join("\n") }, ...notes.map((note) => noteLink(board, note))];
    },
  );

  server.tool(
    "board_stats",
    {
      title: "Count a board",
      description: "How many notes, words and characters a board holds, by colour and by age.",
      icons: ICONS.chart,
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: { type: "object", properties: { board: BOARD }, required: ["board"], additionalProperties: false },
      outputSchema: STATS_OUTPUT,
    },
    async ({ board }, { env }) => {
      const stats = await boardNamed(env, board).stats();
      if (stats === undefined) throw await noSuchBoard(env, board);
      const { oldestAt, newestAt, colours, ...counts } = stats;
      return { board, ...counts, colours: { ...colours }, oldest: iso(oldestAt), newest: iso(newestAt) };
    },
  );

  server.tool(
    "draw_board",
    {
      title: "Draw a board",
      description: `A picture of a board's newest notes as coloured cards, ${MAX_CARDS} at most. Words are drawn as bars.`,
      icons: ICONS.picture,
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: { type: "object", properties: { board: BOARD }, required: ["board"], additionalProperties: false },
    },
    async ({ board }, { env }) => {
      const { notes, size } = await boardNamed(env, board).find("", MAX_CARDS);
      if (size === 0) throw await noSuchBoard(env, board);
      const shown =
        notes.length < size
          ? `the newest ${notes.length} of ${size} notes`
          : `${size} ${size === 1 ? "note" : "notes"}`;
      return [image(await drawBoard(notes), "image/png"), { type: "text", text: `The board “${board}”: ${shown}.` }];
    },
  );
}

/** What a schema cannot say: that a text is valid Unicode. */
function assertText(text: string): void {
  const fault = textFault(text);
  if (fault !== undefined) throw new ToolError(`The text ${fault}.`);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
