/**
 * A leaf's side of its root: being attached, catching up, and leaving.
 */
import type { EventLog } from "./event-log.ts";
import type { NumberedChange, Position } from "./frames.ts";
import type { CatchUp } from "./relay.ts";

export interface RootStub {
  attach(leaf: string, resume?: Position): Promise<CatchUp>;
  detach(leaf: string): Promise<void>;
}

/** What the leaf does with what it hears. */
export interface LeafEnd {
  /** New changes, in the log already. */
  deliver(changes: readonly NumberedChange[]): void;
  /** The log had to start again somewhere else, so listeners must come back to learn that they missed some. */
  restarted(): void;
}

/** For how long a leaf takes it for granted that its root knows it. A root forgets one only after much longer. */
const ATTACHED_MS = 60_000;

export class RootLink {
  readonly #leaf: string;
  readonly #object: string;
  readonly #log: EventLog;
  readonly #root: () => RootStub;
  readonly #end: LeafEnd;
  /** Listeners that wait to join. */
  #waiting = 0;
  #attachedAt = Number.NEGATIVE_INFINITY;
  #catchingUp: Promise<void> | undefined;
  #leaving: Promise<void> | undefined;

  constructor(
    name: { leaf: string; object: string },
    log: EventLog,
    { root, end }: { root: () => RootStub; end: LeafEnd },
  ) {
    this.#leaf = name.leaf;
    this.#object = name.object;
    this.#log = log;
    this.#root = root;
    this.#end = end;
  }

  /** Resolves when the root knows this leaf, and this leaf is as far as a listener that wants to join it. */
  async ready(resume: Position | undefined): Promise<void> {
    this.#waiting += 1;
    try {
      if (this.#leaving !== undefined || Date.now() - this.#attachedAt >= ATTACHED_MS) await this.catchUp();
      const own = this.#log.position();
      // A listener may come from another leaf, which was ahead.
      if (resume !== undefined && resume.epoch === own?.epoch && resume.seq > own.seq) await this.catchUp();
    } finally {
      this.#waiting -= 1;
    }
  }

  isCatchingUp(): boolean {
    return this.#catchingUp !== undefined;
  }

  /** Whether somebody is about to join, or the root is being asked. */
  isBusy(): boolean {
    return this.#waiting > 0 || this.isCatchingUp();
  }

  /** Attaches the leaf, again if need be, and takes what it missed. However many ask, the root is asked once. */
  catchUp(): Promise<void> {
    this.#catchingUp ??= this.#ask().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  /** Tells the root that nobody listens here any more. `forget` runs before the leaf can be attached again. */
  leave(forget: () => Promise<void>): Promise<void> {
    this.#leaving ??= this.#root()
      .detach(this.#leaf)
      .then(forget)
      .finally(() => {
        this.#attachedAt = Number.NEGATIVE_INFINITY;
        this.#leaving = undefined;
      });
    return this.#leaving;
  }

  /** Takes what follows on the log, which may overlap with what is there. @returns false when there is a gap */
  take({ epoch, seq: previousSeq }: Position, changes: readonly NumberedChange[]): boolean {
    const position = this.#log.position();
    if (position?.epoch !== epoch || previousSeq > position.seq) return false;
    const fresh = changes.filter(({ seq }) => seq > position.seq);
    if (fresh.length === 0) return true;
    this.#log.append(fresh, Date.now());
    this.#end.deliver(fresh);
    return true;
  }

  async #ask(): Promise<void> {
    // A failure to leave is that caller's affair, and the root is asked in any case.
    await this.#leaving?.catch(() => undefined);
    const resume = this.#log.position();
    const { position, missed, changes } = await this.#root().attach(this.#leaf, resume);
    this.#attachedAt = Date.now();
    if (resume !== undefined && !missed && this.take(resume, changes)) return;
    const own = this.#log.position();
    if (own?.epoch === position.epoch && own.seq >= position.seq) return; // A relayed call brought it here meanwhile.
    this.#log.open(this.#object, position);
    this.#log.restart(position, changes, Date.now());
    this.#end.restarted();
  }
}
