/**
 * The Durable Object behind one board: its notes, in SQLite. The object's name is the board's name.
 *
 * A board exists while it has notes. The first note enters it into the directory, the last one takes it out and leaves the
 * object without storage, so that neither asking for boards that never were nor tidying up costs anything for good.
 *
 * Every public method can be called by whoever holds the binding, so each judges its arguments: a mistake of the program
 * is a `TypeError`, an expected outcome is a value.
 */
import { DurableObject } from "cloudflare:workers";
import type { Directory } from "./directory.ts";
import {
  type Colour,
  COLOURS,
  type Draft,
  isBoardName,
  isColour,
  isNoteId,
  isNoteText,
  lengthOf,
  MAX_NOTES,
  type Note,
} from "./note.ts";

export interface BoardEnv {
  readonly DIRECTORY: DurableObjectNamespace<Directory>;
}

export type AddOutcome = Added | { readonly refused: "board-full" | "too-many-boards" };

export interface Added {
  readonly note: Note;
  /** Whether the board came into being with it. */
  readonly first: boolean;
}

export interface Edited {
  readonly note: Note;
  /** False when it was like that already. */
  readonly changed: boolean;
}

export interface Removed {
  /** Whether the board went with it. */
  readonly last: boolean;
}

export interface Found {
  /** Newest first. */
  readonly notes: Note[];
  /** How many match, of which `notes` may be the first few. */
  readonly matches: number;
  /** Notes on the board; 0 means that there is no such board. */
  readonly size: number;
}

export interface Stats {
  readonly notes: number;
  readonly characters: number;
  readonly words: number;
  readonly colours: Record<Colour, number>;
  /** Milliseconds since the epoch. */
  readonly oldestAt: number;
  readonly newestAt: number;
}

/** The directory is one object; see there. */
export const DIRECTORY_NAME = "boards";

const SCHEMA = `CREATE TABLE IF NOT EXISTS note (
  id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, colour TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT`;
const COLUMNS = "id, text, colour, created_at AS createdAt, updated_at AS updatedAt";

/** A row as `COLUMNS` yields it. A type alias, since `exec` wants an index signature. */
type Row = { id: number; text: string; colour: Colour; createdAt: number; updatedAt: number };

export class Board extends DurableObject<BoardEnv> {
  readonly #sql: SqlStorage;

  constructor(state: DurableObjectState, env: BoardEnv) {
    super(state, env);
    this.#sql = state.storage.sql;
  }

  /** @throws {TypeError} when the draft is not fit to be a note */
  async add(draft: Draft): Promise<AddOutcome> {
    const { text, colour } = assertDraft(draft);
    if (this.#size() > 0) return this.#insert({ text, colour });
    return this.#alone(async () => {
      if (this.#size() > 0) return this.#insert({ text, colour });
      try {
        const listed = await this.#directory().add(this.#name());
        return listed ? this.#insert({ text, colour }) : { refused: "too-many-boards" };
      } catch (error) {
        // The directory may have entered the name even though its answer was lost.
        await this.#leave().catch(ignore);
        throw error;
      }
    });
  }

  /** Changes what is given. @returns undefined when there is no such note. @throws {TypeError} for a malformed change */
  edit(id: number, change: Partial<Draft>): Edited | undefined {
    const note = this.get(id);
    if (note === undefined) return undefined;
    const { text = note.text, colour = note.colour } = change;
    assertDraft({ text, colour });
    if (text === note.text && colour === note.colour) return { note, changed: false };
    const update = `UPDATE note SET text = ?, colour = ?, updated_at = ? WHERE id = ? RETURNING ${COLUMNS}`;
    return { note: this.#sql.exec<Row>(update, text, colour, Date.now(), id).one(), changed: true };
  }

  /** @returns undefined when there is no such note. @throws {TypeError} when the id is not a positive integer */
  get(id: number): Note | undefined {
    if (!isNoteId(id)) throw new TypeError("id: must be a positive integer");
    return this.#exists()
      ? this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM note WHERE id = ?`, id).toArray()[0]
      : undefined;
  }

  /** Notes that contain `query` without regard to case; an empty query matches all. */
  find(query = "", limit = MAX_NOTES): Found {
    if (typeof query !== "string") throw new TypeError("query: must be a string");
    if (!Number.isInteger(limit) || limit < 1) throw new TypeError("limit: must be an integer of 1 or more");
    const all = this.#all();
    const needle = query.toLowerCase(); // Not SQL's lower(), which knows only ASCII.
    const matching = needle === "" ? all : all.filter(({ text }) => text.toLowerCase().includes(needle));
    return { notes: matching.slice(0, limit), matches: matching.length, size: all.length };
  }

  /** @returns undefined when there is no such board. */
  stats(): Stats | undefined {
    const all = this.#all();
    const newest = all.at(0);
    const oldest = all.at(-1);
    if (newest === undefined || oldest === undefined) return undefined;
    const colours = Object.fromEntries(COLOURS.map((colour) => [colour, 0])) as Record<Colour, number>; // One entry each.
    let characters = 0;
    let words = 0;
    for (const { text, colour } of all) {
      colours[colour] += 1;
      characters += lengthOf(text);
      words += text.match(/\S+/g)?.length ?? 0;
    }
    return { notes: all.length, characters, words, colours, oldestAt: oldest.createdAt, newestAt: newest.createdAt };
  }

  /**
   * The last note goes after the board has left the directory: when that fails the note stays, and a retry finds it.
   *
   * @returns undefined when there is no such note. @throws {TypeError} when the id is not a positive integer
   */
  async remove(id: number): Promise<Removed | undefined> {
    if (this.get(id) === undefined) return undefined;
    if (this.#size() > 1) return this.#delete(id);
    return this.#alone(async () => {
      if (this.get(id) === undefined) return undefined;
      if (this.#size() > 1) return this.#delete(id);
      try {
        await this.#leave();
      } catch (error) {
        // It still has its note, so it still belongs into the directory, which may have struck it and lost the answer.
        await this.#directory().add(this.#name()).catch(ignore);
        throw error;
      }
      return { last: true };
    });
  }

  #delete(id: number): Removed {
    this.#sql.exec("DELETE FROM note WHERE id = ?", id);
    return { last: false };
  }

  /** Takes the board out of the directory, and then all that it stored. */
  async #leave(): Promise<void> {
    await this.#directory().remove(this.#name());
    await this.ctx.storage.deleteAll();
  }

  #insert({ text, colour }: Draft): AddOutcome {
    const size = this.#size();
    if (size >= MAX_NOTES) return { refused: "board-full" };
    this.#sql.exec(SCHEMA);
    const now = Date.now();
    const insert = `INSERT INTO note (text, colour, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING ${COLUMNS}`;
    return { note: this.#sql.exec<Row>(insert, text, colour, now, now).one(), first: size === 0 };
  }

  #all(): Note[] {
    return this.#exists() ? this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM note ORDER BY id DESC`).toArray() : [];
  }

  #size(): number {
    return this.#exists() ? this.#sql.exec<{ size: number }>("SELECT count(*) AS size FROM note").one().size : 0;
  }

  /** The table comes with the first note: creating it while reading would leave storage behind for every name asked for. */
  #exists(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'note'").toArray().length > 0;
  }

  #name(): string {
    const { name } = this.ctx.id;
    if (!isBoardName(name)) throw new TypeError("a board object must be addressed by a board name");
    return name;
  }

  #directory(): DurableObjectStub<Directory> {
    return this.env.DIRECTORY.getByName(DIRECTORY_NAME);
  }

  /**
   * Runs with no other call to this board in between, so that the directory and the notes agree. A failure inside would
   * reset the object and every call that waits for it, so it travels out as a value.
   */
  async #alone<T>(run: () => Promise<T>): Promise<T> {
    const settled = await this.ctx.blockConcurrencyWhile(() =>
      run().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
    );
    if ("error" in settled) throw settled.error;
    return settled.value;
  }
}

function ignore(): void {
  // Undoing is an attempt. The error that made it necessary is on its way, and the same call again puts things right.
}

function assertDraft(draft: Draft): Draft {
  if (!isNoteText(draft.text)) throw new TypeError("text: not fit for a note");
  if (!isColour(draft.colour)) throw new TypeError("colour: not one of the colours");
  return draft;
}
