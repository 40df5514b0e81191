/**
 * The arguments that several tools share, and what `board_stats` returns. Literal, so that handlers are typed from them.
 */
import { BOARD_NAME_PATTERN, COLOURS, MAX_BOARD_NAME_LENGTH, MAX_NOTE_LENGTH } from "./note.ts";

export const BOARD = {
  type: "string",
  title: "Board",
  description: "The board's name: letters, digits, and inside it spaces, dots, dashes and underscores.",
  minLength: 1,
  maxLength: MAX_BOARD_NAME_LENGTH,
  pattern: BOARD_NAME_PATTERN,
  examples: ["ideas"],
} as const;

/** A gateway can route searches by board without reading bodies. */
export const BOARD_OF_SEARCH = { ...BOARD, "x-mcp-header": "Board" } as const;

export const NOTE_ID = {
  type: "integer",
  title: "Note",
  description: "The note's number.",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;

export const NOTE_TEXT = {
  type: "string",
  title: "Text",
  description: `What the note says, up to ${MAX_NOTE_LENGTH} characters.`,
  minLength: 1,
  maxLength: MAX_NOTE_LENGTH,
  pattern: String.raw`\S`,
} as const;

export const COLOUR = {
  type: "string",
  title: "Colour",
  description: "The colour of the paper.",
  enum: COLOURS,
} as const;

const COUNT = { type: "integer", minimum: 0 } as const;

export const STATS_OUTPUT = {
  type: "object",
  properties: {
    board: { type: "string" },
    notes: COUNT,
    words: COUNT,
    characters: COUNT,
    colours: {
      type: "object",
      properties: { yellow: COUNT, pink: COUNT, blue: COUNT, green: COUNT, violet: COUNT },
      required: COLOURS,
      additionalProperties: false,
    },
    oldest: { type: "string", description: "When the oldest note was pinned, in ISO 8601." },
    newest: { type: "string", description: "When the newest note was pinned, in ISO 8601." },
  },
  required: ["board", "notes", "words", "characters", "colours", "oldest", "newest"],
  additionalProperties: false,
} as const;
