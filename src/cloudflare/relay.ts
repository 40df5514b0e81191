/**
 * The root's side of its leaves: which there are, what each has confirmed, and the passing on of changes.
 *
 * To one leaf, calls go one at a time, so what is published meanwhile goes together with the next. A call that fails is
 * repeated after a while; then it is left to the alarm, or to the next publication. Storage: table `leaf`.
 */
import type { EventLog } from "./event-log.ts";
import type { NumberedChange, Position } from "./frames.ts";

/** What a root tells a leaf that attaches itself. */
export interface CatchUp {
  /** Where the root is, with `changes` included. */
  readonly position: Position;
  /** The root's log does not reach back to where the leaf was. */
  readonly missed: boolean;
  /** What came after the leaf's position; or all there are, for listeners that come from elsewhere. */
  readonly changes: readonly NumberedChange[];
}

export interface LeafStub {
  /** @returns the number up to which the leaf has everything; `NOT_ATTACHED` when it wants nothing */
  relay(epoch: string, previousSeq: number, changes: readonly NumberedChange[]): Promise<number>;
}

export interface RelayLimits {
  /** Pauses before a call is repeated, as long as there are any. */
  readonly backoffMs: readonly number[];
  /** A leaf that could not be reached for so long is forgotten. It attaches itself anew when it is next joined. */
  readonly dropMs: number;
}

export const NOT_ATTACHED = -1;

/** Each costs a call for every publication. */
const MAX_LEAVES = 1_000;

const SCHEMA = `CREATE TABLE IF NOT EXISTS leaf (
  name TEXT PRIMARY KEY, seq INTEGER NOT NULL, failing_since INTEGER
) STRICT, WITHOUT ROWID`;

/** `seq`: what it has confirmed, or -1 when it must be asked. A type alias, since `exec` wants an index signature. */
type Leaf = { name: string; seq: number; failingSince: number | null };

export class LeafRelay {
  readonly #sql: SqlStorage;
  readonly #log: EventLog;
  readonly #limits: RelayLimits;
  readonly #stubOf: (leaf: string) => LeafStub;
  /** Leaves being served, each with the number of times that it attached itself meanwhile. */
  readonly #serving = new Map<string, number>();

  constructor(
    sql: SqlStorage,
    log: EventLog,
    { limits, stubOf }: { limits: RelayLimits; stubOf: (leaf: string) => LeafStub },
  ) {
    this.#sql = sql;
    this.#log = log;
    this.#limits = limits;
    this.#stubOf = stubOf;
  }

  /** The log must be open. @throws {RangeError} when there are too many leaves */
  attach(leaf: string, resume: Position | undefined): CatchUp {
    const position = this.#position();
    const changes = resume?.epoch === position.epoch ? this.#log.since(resume.seq) : undefined;
    this.#sql.exec(SCHEMA);
    const others = "SELECT count(*) AS count FROM leaf WHERE name <> ?";
    if (this.#sql.exec<{ count: number }>(others, leaf).one().count >= MAX_LEAVES)
      throw new RangeError("too many leaves");
    // Not more than what it surely has: the answer may get lost. A leaf without a log has no listeners that could miss any.
    const confirmed = resume === undefined ? position.seq : changes === undefined ? -1 : resume.seq;
    this.#sql.exec("INSERT OR REPLACE INTO leaf (name, seq, failing_since) VALUES (?, ?, NULL)", leaf, confirmed);
    const served = this.#serving.get(leaf);
    if (served !== undefined) this.#serving.set(leaf, served + 1);
    return { position, missed: resume !== undefined && changes === undefined, changes: changes ?? this.#log.all() };
  }

  detach(leaf: string): void {
    if (this.#exists()) this.#sql.exec("DELETE FROM leaf WHERE name = ?", leaf);
  }

  isEmpty(): boolean {
    return this.#leaves().length === 0;
  }

  /** Whether a leaf has not confirmed all there is. */
  isBehind(): boolean {
    const seq = this.#log.position()?.seq ?? 0;
    return this.#leaves().some((leaf) => leaf.seq < seq);
  }

  /** Starts passing on what leaves lack. Never rejects; resolves when each has it or is left to the next time. */
  async pass(): Promise<void> {
    const idle = this.#leaves().filter(({ name }) => !this.#serving.has(name));
    await Promise.all(idle.map(({ name }) => this.#serve(name)));
  }

  async #serve(name: string): Promise<void> {
    this.#serving.set(name, 0);
    try {
      for (let failures = 0; this.#needs(name);) {
        if (await this.#call(name)) {
          failures = 0;
          continue;
        }
        const pause = this.#limits.backoffMs[failures];
        failures += 1;
        if (pause === undefined) return;
        await scheduler.wait(pause);
      }
    } finally {
      this.#serving.delete(name);
    }
  }

  /** @returns whether it brought the leaf forward */
  async #call(name: string): Promise<boolean> {
    const leaf = this.#find(name);
    if (leaf === undefined) return true;
    const { epoch, seq } = this.#position();
    const lacking = this.#log.since(leaf.seq);
    const attached = this.#serving.get(name);
    try {
      const stub = this.#stubOf(name);
      // Where the log was cut, the leaf sees that it has a gap, and attaches itself.
      const had = await (lacking === undefined ? stub.relay(epoch, seq, []) : stub.relay(epoch, leaf.seq, lacking));
      if (had === NOT_ATTACHED) {
        // Unless it changed its mind while the answer was under way.
        if (attached === this.#serving.get(name)) this.detach(name);
        return true;
      }
      return this.#confirm(name, Math.min(had, this.#position().seq));
    } catch {
      this.#fail(leaf, Date.now());
      return false;
    }
  }

  #confirm(name: string, seq: number): boolean {
    if (!this.#exists()) return false; // The last leaf left meanwhile.
    const update = "UPDATE leaf SET seq = ?1, failing_since = NULL WHERE name = ?2 AND seq < ?1 RETURNING 1";
    return this.#sql.exec(update, seq, name).toArray().length > 0;
  }

  /** Whatever went wrong, the leaf's next call or ours puts it right; what counts is for how long it goes on. */
  #fail({ name, failingSince }: Leaf, now: number): void {
    if (!this.#exists()) return;
    if (failingSince === null) this.#sql.exec("UPDATE leaf SET failing_since = ? WHERE name = ?", now, name);
    else if (now - failingSince >= this.#limits.dropMs) this.detach(name);
  }

  #needs(name: string): boolean {
    const leaf = this.#find(name);
    return leaf !== undefined && leaf.seq < this.#position().seq;
  }

  #find(wanted: string): Leaf | undefined {
    return this.#leaves().find(({ name }) => name === wanted);
  }

  #position(): Position {
    const position = this.#log.position();
    if (position === undefined) throw new Error("a root with leaves keeps its log");
    return position;
  }

  #leaves(): Leaf[] {
    if (!this.#exists()) return [];
    return this.#sql.exec<Leaf>("SELECT name, seq, failing_since AS failingSince FROM leaf").toArray();
  }

  #exists(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'leaf'").toArray().length > 0;
  }
}
