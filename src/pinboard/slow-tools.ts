/**
 * `delete_note`, which asks before it acts, and `import_notes`, which takes a while and says how far it is.
 */
import { type McpServer, type RequestContext, ToolError } from "../index.ts";
import { announce } from "./announcement.ts";
import { noSuchNote, refusal, textFault } from "./answers.ts";
import { boardNamed, type Env } from "./env.ts";
import { ICONS } from "./icons.ts";
import { type Colour, headline, MAX_NOTE_LENGTH, MAX_NOTES } from "./note.ts";
import { BOARD, COLOUR, NOTE_ID } from "./schemas.ts";

export function addSlowTools(server: McpServer<Env>): void {
  server.tool(
    "delete_note",
    {
      title: "Delete a note",
      description: "Takes a note off a board for good, after asking. A board is gone with its last note.",
      icons: ICONS.remove,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      inputSchema: {
        type: "object",
        properties: { board: BOARD, id: NOTE_ID },
        required: ["board", "id"],
        additionalProperties: false,
      },
    },
    async ({ board, id }, ctx) => {
      const stub = boardNamed(ctx.env, board);
      const note = await stub.get(id);
      if (note === undefined) throw await noSuchNote(ctx.env, board, id);
      // Agreed is the deletion of the note that was shown, and by the time of the answer somebody may have changed it.
      const shown = await ctx.step("shown", () => ({ text: note.text, updatedAt: note.updatedAt }));
      const answer = await ctx.elicit("confirm", {
        message: `Delete note ${id} from “${board}”? It says: “${headline(shown.text, 120)}”`,
        schema: {
          type: "object",
          properties: {
            confirm: { type: "boolean", title: "Yes, delete it", description: "There is no way back.", default: false },
          },
          required: ["confirm"],
        },
      });
      if (answer.action === "cancel") return `Nobody decided, so note ${id} stays on “${board}”.`;
      if (answer.action === "decline" || answer.content?.confirm !== true) return `Note ${id} stays on “${board}”.`;
      if (note.text !== shown.text || note.updatedAt !== shown.updatedAt) {
        throw new ToolError(
          `Note ${id} was changed in the meantime, so it stays. Look at it again before deleting it.`,
        );
      }
      const removed = await stub.remove(id);
      if (removed === undefined) throw await noSuchNote(ctx.env, board, id);
      announce(ctx, { board, notes: [id], boardsChanged: removed.last });
      return `Deleted note ${id} from “${board}”.`;
    },
  );

  server.tool(
    "import_notes",
    {
      title: "Import notes",
      description:
        "Pins many notes to a board: a list of texts, or one text with a note on each line, or both. " +
        "When it is cancelled, what is pinned by then stays.",
      icons: ICONS.load,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      inputSchema: {
        type: "object",
        properties: {
          board: BOARD,
          notes: {
            type: "array",
            title: "Notes",
            description: "One text for each note.",
            items: { type: "string", minLength: 1, maxLength: MAX_NOTE_LENGTH },
            maxItems: MAX_NOTES,
          },
          lines: {
            type: "string",
            title: "Lines",
            description: "A note on each line; empty lines are skipped.",
            maxLength: 100_000,
          },
          colour: COLOUR,
        },
        required: ["board"],
        additionalProperties: false,
      },
    },
    async ({ board, notes = [], lines = "", colour = "yellow" }, ctx) => {
      const texts = assertTexts([...notes, ...lines.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "")]);
      const { size } = await boardNamed(ctx.env, board).find("", 1);
      if (size + texts.length > MAX_NOTES) {
        throw new ToolError(
          `“${board}” has room for ${MAX_NOTES - size} more notes, and these are ${texts.length}. Nothing was pinned.`,
        );
      }
      await pinAll({ board, texts, colour }, ctx);
      return `Pinned ${texts.length} ${texts.length === 1 ? "note" : "notes"} to “${board}”.`;
    },
  );
}

interface Batch {
  readonly board: string;
  readonly texts: readonly string[];
  readonly colour: Colour;
}

/** @throws {ToolError} when a note is refused */
async function pinAll({ board, texts, colour }: Batch, ctx: RequestContext<Env>): Promise<void> {
  const stub = boardNamed(ctx.env, board);
  const notes: number[] = [];
  let boardsChanged = false;
  try {
    for (const [index, text] of texts.entries()) {
      // In local development the object runs on the same event loop, and calls to it follow each other without giving it
      // a turn. This does, so that what was reported leaves, and a caller who has gone is noticed.
      await scheduler.wait(0);
      ctx.signal.throwIfAborted();
      const added = await stub.add({ text, colour });
      if ("refused" in added)
        throw new ToolError(`${refusal(added.refused)} ${index} of ${texts.length} notes were pinned.`);
      notes.push(added.note.id);
      boardsChanged ||= added.first;
      ctx.progress(index + 1, texts.length, headline(text));
    }
  } finally {
    // However it ended, what is pinned by now stays.
    if (notes.length > 0) announce(ctx, { board, notes, boardsChanged });
  }
}

/** Judges all of them before the first is pinned. */
function assertTexts(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) throw new ToolError("There is nothing to import: give notes, or lines with some text.");
  for (const [index, text] of texts.entries()) {
    const fault = textFault(text);
    if (fault !== undefined) throw new ToolError(`Note ${index + 1} of ${texts.length} ${fault}. Nothing was pinned.`);
  }
  return texts;
}
