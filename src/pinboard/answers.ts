/**
 * What the tools say: links to notes, and errors that tell a model or a person what to do instead.
 */
import { type ContentBlock, type ResourceLink, ToolError } from "../index.ts";
import type { AddOutcome } from "./board.ts";
import { boardNames, boardNamed, type Env } from "./env.ts";
import { headline, isNoteText, MAX_BOARDS, MAX_NOTE_LENGTH, MAX_NOTES, type Note, noteUri } from "./note.ts";

/** Board names that an error mentions: enough to spot a slip of the pen. */
const MAX_NAMED_BOARDS = 12;

export function noteLink(board: string, { id, text }: Note): ResourceLink {
  const link = { uri: noteUri(board, id), name: `${board}/${id}`, title: headline(text) };
  return { type: "resource_link", ...link, mimeType: "text/plain" };
}

export function pinned(board: string, note: Note): ContentBlock[] {
  return [{ type: "text", text: `Pinned note ${note.id} to “${board}”.` }, noteLink(board, note)];
}

const REFUSALS: Readonly<Record<Extract<AddOutcome, { refused: unknown }>["refused"], string>> = {
  "board-full": `The board is full: it holds ${MAX_NOTES} notes. Delete some, or use another board.`,
  "too-many-boards": `There is no room for another board: ${MAX_BOARDS} exist. Use one of them, or delete all notes of one.`,
};

export function refusal(reason: keyof typeof REFUSALS): string {
  return REFUSALS[reason];
}

/** Says what keeps a text from being a note; undefined when nothing does. */
export function textFault(text: string): string | undefined {
  if (isNoteText(text)) return undefined;
  if (text.trim() === "") return "is empty";
  // Such a string has no UTF-8, so it would be stored as something else.
  if (!text.isWellFormed()) return "is not valid Unicode: it has half of a surrogate pair";
  return `is longer than ${MAX_NOTE_LENGTH} characters`;
}

export async function noSuchBoard(env: Env, board: string): Promise<ToolError> {
  const names = await boardNames(env);
  if (names.length === 0)
    return new ToolError(`There is no board “${board}”, nor any other yet. add_note creates one.`);
  const some = names.slice(0, MAX_NAMED_BOARDS).map((name) => `“${name}”`);
  const more = names.length > some.length ? ` and ${names.length - some.length} more` : "";
  return new ToolError(`There is no board “${board}”. These exist: ${some.join(", ")}${more}.`);
}

/** Tells a missing note from a missing board. */
export async function noSuchNote(env: Env, board: string, id: number): Promise<ToolError> {
  const { size } = await boardNamed(env, board).find("", 1);
  if (size === 0) return noSuchBoard(env, board);
  return new ToolError(`There is no note ${id} on “${board}”. search_notes lists the notes with their numbers.`);
}
