/**
 * What a note and a board are, and how much of either there may be. Pure: shared by the Durable Objects and the tools.
 */

export const COLOURS = ["yellow", "pink", "blue", "green", "violet"] as const;
export type Colour = (typeof COLOURS)[number];

export interface Note {
  /** Counts up from 1 within a board, and is not used twice while the board exists. */
  readonly id: number;
  readonly text: string;
  readonly colour: Colour;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Draft {
  readonly text: string;
  readonly colour: Colour;
}

/** In Unicode code points, as JSON Schema counts. A note is a thought, and a model reads whole boards. */
export const MAX_NOTE_LENGTH = 2_000;
/** A board is sent whole when it is read as a resource; this keeps it to a million characters. */
export const MAX_NOTES = 500;
/** One page of `resources/list`, and one round of looking through for a completion. */
export const MAX_BOARDS = 200;
export const MAX_BOARD_NAME_LENGTH = 40;

/** Letters and digits of any script; spaces, dots, dashes and underscores inside. Safe in a URI once escaped. */
export const BOARD_NAME_PATTERN = String.raw`^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._\-]{0,38}[\p{L}\p{M}\p{N}])?$`;
const BOARD_NAME = new RegExp(BOARD_NAME_PATTERN, "u");

/**
 * The name of the board that somebody means: spellings that look the same are one board. Judged in normal form, which
 * can be longer than what was typed: U+FB1D, one code point, is two in it.
 *
 * @returns undefined when no board can have that name
 */
export function toBoardName(typed: string): string | undefined {
  const name = typed.normalize("NFC");
  return BOARD_NAME.test(name) ? name : undefined;
}

/** In normal form, as the objects are named. */
export function isBoardName(name: unknown): name is string {
  return typeof name === "string" && toBoardName(name) === name;
}

export function isNoteText(text: unknown): boolean {
  if (typeof text !== "string" || text.trim() === "" || !text.isWellFormed()) return false;
  return text.length <= MAX_NOTE_LENGTH || lengthOf(text) <= MAX_NOTE_LENGTH;
}

export function isColour(colour: unknown): colour is Colour {
  return COLOURS.includes(colour as Colour); // includes() wants the element type; it compares by identity.
}

export function isNoteId(id: unknown): id is number {
  return Number.isSafeInteger(id) && Number(id) > 0;
}

/** One URI for all spellings of a board's name, since those who listen are told of exactly the URI they asked for. */
export function boardUri(board: string): string {
  return `board://${encodeURIComponent(board.normalize("NFC"))}`;
}

/** As `boardUri`. */
export function noteUri(board: string, id: number): string {
  return `note://${encodeURIComponent(board.normalize("NFC"))}/${id}`;
}

/** In code points, like every limit here. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The first line of a note, cut to `length` characters for a list. */
export function headline(text: string, length = 60): string {
  const [line = ""] = text.trim().split(/\r\n|\r|\n/, 1);
  const characters = Array.from(line);
  return characters.length <= length
    ? line
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}
