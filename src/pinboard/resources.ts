/**
 * Boards and notes as resources: `board://{board}` lists a board, `note://{board}/{id}` is one note's text.
 *
 * `resources/list` shows the boards that exist at that moment.
 */
import type { Completer, McpServer } from "../index.ts";
import { boardNamed, boardNames, type Env } from "./env.ts";
import { ICONS } from "./icons.ts";
import { boardUri, isNoteId, type Note, toBoardName } from "./note.ts";

export const completeBoard: Completer<Env> = async (value, _context, { env }) => {
  const typed = value.normalize("NFC").toLowerCase();
  return (await boardNames(env)).filter((name) => name.toLowerCase().startsWith(typed));
};

const completeNoteId: Completer<Env> = async (value, { arguments: { board } }, { env }) => {
  if (board === undefined || toBoardName(board) === undefined) return [];
  const { notes } = await boardNamed(env, board).find();
  return notes.map(({ id }) => String(id)).filter((id) => id.startsWith(value));
};

export function addResources(server: McpServer<Env>): void {
  server.resource(
    "board://{board}",
    {
      name: "board",
      title: "A board",
      description: "All notes of a board, newest first.",
      mimeType: "text/markdown",
      icons: ICONS.pin,
      complete: { board: completeBoard },
    },
    async (_uri, { board }, { env }) => {
      if (toBoardName(board) === undefined) return undefined;
      const { notes, size } = await boardNamed(env, board).find();
      return size === 0 ? undefined : toMarkdown(board, notes);
    },
  );

  server.resource(
    "note://{board}/{id}",
    {
      name: "note",
      title: "A note",
      description: "The text of one note.",
      mimeType: "text/plain",
      icons: ICONS.pin,
      complete: { board: completeBoard, id: completeNoteId },
    },
    async (_uri, { board, id }, { env }) => {
      // Digits alone: Number() would also take "1e1" and "0x1", which are other URIs.
      if (toBoardName(board) === undefined || !/^[1-9]\d{0,15}$/.test(id) || !isNoteId(Number(id))) return undefined;
      return (await boardNamed(env, board).get(Number(id)))?.text;
    },
  );

  server.provide({
    resources: async ({ env }) =>
      (await boardNames(env)).map((name) => ({ uri: boardUri(name), name, title: name, mimeType: "text/markdown" })),
    // Reading goes through the template above, without a look at the directory.
    resource: () => undefined,
  });
}

/** A list item a note; its further lines are indented, which keeps them part of the item. */
export function toMarkdown(board: string, notes: readonly Note[]): string {
  const items = notes.map(
    ({ id, text, colour }) => `- **${id}** (${colour}) ${text.trim().replaceAll(/\r\n|\r|\n/g, "\n  ")}`,
  );
  return `# ${board}\n\n${items.join("\n")}\n`;
}
