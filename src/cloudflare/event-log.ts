/**
 * The numbered changes of a hub, in the SQLite of its Durable Object: the newest few, and none for long.
 *
 * Numbers have no gaps, and go on for as long as the log lives, also when all changes are gone. The epoch is made with the
 * log, so whoever comes back after the log was deleted notices. Storage holds two tables: `log`, of one row, and `change`.
 */
import type { Change } from "../protocol/subscription.ts";
import type { NumberedChange, Position } from "./frames.ts";

export interface LogLimits {
  /** Changes kept. */
  readonly changes: number;
  /** How long a change is kept. */
  readonly retentionMs: number;
}

export interface Logged {
  /** None when the publication was in the log already. */
  readonly changes: readonly NumberedChange[];
  /** The number of the publication's last change. */
  readonly seq: number;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS log (epoch TEXT NOT NULL, seq INTEGER NOT NULL, object TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS change (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, uri TEXT, publication TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS publication ON change (publication) WHERE publication IS NOT NULL`;

// Type aliases, since `exec` wants an index signature.
type LogRow = { epoch: string; seq: number; object: string };
type ChangeRow = { seq: number; type: Change["type"]; uri: string | null };

export class EventLog {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #limits: LogLimits;

  constructor(storage: DurableObjectStorage, limits: LogLimits) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#limits = limits;
  }

  /** Makes the log of the object of that name, unless there is one, and tells where it is. */
  open(object: string, at: Position = { epoch: crypto.randomUUID(), seq: 0 }): Position {
    const position = this.position();
    if (position !== undefined) return position;
    this.#storage.transactionSync(() => {
      this.#sql.exec(SCHEMA);
      this.#sql.exec("INSERT INTO log (epoch, seq, object) VALUES (?, ?, ?)", at.epoch, at.seq, object);
    });
    return at;
  }

  /** The name of the object, as it was when the log was made. Undefined when there is no log. */
  object(): string | undefined {
    return this.#row()?.object;
  }

  /** Where the log is. Undefined when there is none. */
  position(): Position | undefined {
    const row = this.#row();
    return row && { epoch: row.epoch, seq: row.seq };
  }

  /** Numbers and keeps changes of an open log, at once or not at all; the same publication again changes nothing. */
  publish(changes: readonly Change[], publication: string, now: number): Logged {
    return this.#storage.transactionSync(() => {
      const before = this.#sql.exec<{ seq: number }>("SELECT seq FROM change WHERE publication = ?", publication);
      const known = before.toArray()[0];
      if (known !== undefined) return { changes: [], seq: known.seq };
      const first = this.#seq() + 1;
      const numbered = changes.map((change, index) => ({ seq: first + index, change }));
      this.#insert(numbered, now, publication);
      return { changes: numbered, seq: first + numbered.length - 1 };
    });
  }

  /** Keeps changes that were numbered elsewhere. They must follow on what is there. */
  append(changes: readonly NumberedChange[], now: number): void {
    this.#storage.transactionSync(() => {
      if (changes[0] !== undefined && changes[0].seq !== this.#seq() + 1) throw new Error("a gap in the log");
      this.#insert(changes, now, null);
    });
  }

  /** Forgets all changes, and takes over those of another log, which is at that position. */
  restart({ epoch, seq }: Position, changes: readonly NumberedChange[], now: number): void {
    this.#storage.transactionSync(() => {
      this.#sql.exec("DELETE FROM change");
      this.#sql.exec("UPDATE log SET epoch = ?, seq = ?", epoch, seq);
      this.#insert(changes, now, null);
    });
  }

  /** All there are, in order. */
  all(): NumberedChange[] {
    if (this.#row() === undefined) return [];
    return this.#sql.exec<ChangeRow>("SELECT seq, type, uri FROM change ORDER BY seq").toArray().map(toChange);
  }

  /** All after a number, in order. Undefined when the log does not reach back to it, or is not yet there. */
  since(seq: number): NumberedChange[] | undefined {
    const last = this.position()?.seq;
    if (last === undefined || seq > last) return undefined;
    if (seq === last) return [];
    const rows = this.#sql
      .exec<ChangeRow>("SELECT seq, type, uri FROM change WHERE seq > ? ORDER BY seq", seq)
      .toArray();
    return rows[0]?.seq === seq + 1 ? rows.map(toChange) : undefined;
  }

  /** The last number that was given before a time, as far back as the log reaches. It must be open. */
  numberBefore(time: number): number {
    const { first } = this.#sql
      .exec<{ first: number | null }>("SELECT min(seq) AS first FROM change WHERE at >= ?", time)
      .one();
    return first === null ? this.#seq() : first - 1;
  }

  /** When the oldest change is due to go. Undefined when there is none. */
  expiresAt(): number | undefined {
    if (this.#row() === undefined) return undefined;
    const { at } = this.#sql.exec<{ at: number | null }>("SELECT min(at) AS at FROM change").one();
    return at === null ? undefined : at + this.#limits.retentionMs;
  }

  /** Drops what has been kept long enough. */
  tidy(now: number): void {
    if (this.#row() === undefined) return;
    this.#storage.transactionSync(() => {
      this.#sql.exec("UPDATE log SET seq = ?", this.#seq()); // While all changes may go, the number stays.
      this.#sql.exec("DELETE FROM change WHERE at <= ?", now - this.#limits.retentionMs);
    });
  }

  #insert(changes: readonly NumberedChange[], now: number, publication: string | null): void {
    const last = changes.at(-1)?.seq ?? 0;
    for (const { seq, change } of changes) {
      const uri = change.type === "resourceUpdated" ? change.uri : null;
      const insert = "INSERT INTO change (seq, at, type, uri, publication) VALUES (?, ?, ?, ?, ?)";
      this.#sql.exec(insert, seq, now, change.type, uri, seq === last ? publication : null);
    }
    this.#sql.exec("DELETE FROM change WHERE seq <= ?", last - this.#limits.changes);
  }

  #seq(): number {
    return this.#row()?.seq ?? 0;
  }

  /** The number in `log` is brought up to date only when changes go, which saves a written row a publication. */
  #row(): LogRow | undefined {
    const tables = this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'log'");
    if (tables.toArray().length === 0) return undefined;
    const select = "SELECT epoch, coalesce((SELECT max(seq) FROM change), seq) AS seq, object FROM log";
    return this.#sql.exec<LogRow>(select).one();
  }
}

function toChange({ seq, type, uri }: ChangeRow): NumberedChange {
  return { seq, change: type === "resourceUpdated" ? { type, uri: uri ?? "" } : { type } };
}
