/**
 * The Durable Object that subscription streams hang on: it numbers what is published, keeps it for a while, and sends it
 * over one WebSocket a stream. It sleeps whenever nothing is published, and the sockets stay.
 *
 * An object's name says what it is; see hub-name.ts. A root takes publications. A leaf has a copy of its root's log, under
 * the root's numbers, and holds sockets of its own.
 *
 * Writes are not awaited before sockets are sent to: the runtime holds back answers and socket messages alike until what
 * was written before them is durable, and if that fails, it throws them away and resets the object.
 *
 * Every public method can be called by whoever holds the binding, so each judges its arguments.
 */
import { DurableObject } from "cloudflare:workers";
import type { Change } from "../protocol/subscription.ts";
import { AlarmClock } from "./alarm-clock.ts";
import { EventLog } from "./event-log.ts";
import {
  CLOSE_REJOIN,
  commonVersion,
  decodeJoin,
  FRAME_VERSIONS,
  JOIN_HEADER,
  type NumberedChange,
  PING,
  PONG,
  type Position,
} from "./frames.ts";
import { greeting } from "./greeting.ts";
import { assertChanges, assertFollowing, assertLeaf, assertPosition, assertPublication } from "./hub-arguments.ts";
import { DEFAULT_LIMITS, type HubLimits } from "./hub-limits.ts";
import { isNamespace } from "./hub-namespace.ts";
import { hubName, type HubName, leafName, parseHubName } from "./hub-name.ts";
import { close, HubSockets } from "./hub-sockets.ts";
import { type CatchUp, LeafRelay, NOT_ATTACHED } from "./relay.ts";
import { RootLink } from "./root-link.ts";

/** For listeners that a full hub turns away: somebody may have left by then. */
const RETRY_AFTER_SECONDS = 30;
/** WebSocket close code: unsupported data. */
const CLOSE_UNSUPPORTED = 1_003;

export class SubscriptionHub extends DurableObject<unknown> {
  /** Subclasses may choose others. */
  static readonly limits: HubLimits = DEFAULT_LIMITS;

  readonly #limits: HubLimits;
  readonly #log: EventLog;
  readonly #sockets: HubSockets;
  readonly #leaves: LeafRelay;
  readonly #alarm: AlarmClock;
  #name: (HubName & { readonly object: string }) | undefined;
  #rootLink: RootLink | undefined;

  /** Runs at each wake-up, so it touches no storage. */
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#limits = this.#class().limits;
    this.#alarm = new AlarmClock(ctx.storage);
    this.#log = new EventLog(ctx.storage, this.#limits.log);
    this.#sockets = new HubSockets(ctx, this.#limits.sockets);
    this.#leaves = new LeafRelay(ctx.storage.sql, this.#log, {
      limits: this.#limits.relay,
      stubOf: (leaf) => this.#stub(leafName(this.#identity().tenant, leaf)),
    });
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /**
   * Where hub objects are found. Subclasses may look elsewhere.
   *
   * @throws {TypeError} when there is neither a loopback binding nor one by the usual name
   */
  static namespace(ctx: { readonly exports?: object }, env: unknown): DurableObjectNamespace<SubscriptionHub> {
    const exported: { SubscriptionHub?: unknown } = ctx.exports ?? {};
    const bound = (Object(env) as { SUBSCRIPTION_HUB?: unknown }).SUBSCRIPTION_HUB; // Any binding may be there.
    const found = [exported.SubscriptionHub, bound].find(isNamespace);
    // Of this class: nothing else goes by these names.
    if (found !== undefined) return found as unknown as DurableObjectNamespace<SubscriptionHub>;
    throw new TypeError(
      "SubscriptionHub: neither ctx.exports.SubscriptionHub nor env.SUBSCRIPTION_HUB is a Durable Object namespace",
    );
  }

  /** A listener joins, by an upgrade that carries `JOIN_HEADER`. @throws {TypeError} for an object of another name */
  override async fetch(request: Request): Promise<Response> {
    const { role, object } = this.#identity();
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return new Response("WebSocket upgrade expected", { status: 426, headers: { upgrade: "websocket" } });
    }
    const join = decodeJoin(request.headers.get(JOIN_HEADER) ?? "");
    if (join === undefined) return new Response(`malformed ${JOIN_HEADER}`, { status: 400 });
    const version = commonVersion(join.versions);
    if (version === undefined) return Response.json({ versions: FRAME_VERSIONS }, { status: 426 });
    if (role === "leaf") {
      if (this.#log.position() === undefined) await this.#linger(); // It might not come to a socket.
      await this.#link().ready(join.resume);
    } else {
      this.#log.open(object);
    }
    if (!this.#sockets.hasRoom()) {
      return new Response("full", { status: 503, headers: { "retry-after": String(RETRY_AFTER_SECONDS) } });
    }
    // From where the log is open nothing is awaited, so nothing comes between what is replayed and what is sent live; nor
    // does a leaf leave its root meanwhile.
    const response = this.#sockets.join(join, version, greeting(this.#log, join, version));
    // An alarm that would only see whether anybody is left must not wake a quiet listener's hub.
    await this.#alarm.ringNotBefore(this.#dueAt());
    return response;
  }

  /**
   * Numbers changes and sends them out. When it resolves they cannot get lost any more; leaves may get them a little later.
   *
   * @param publication what identifies this call; when it is made again, since its answer got lost, it changes nothing,
   *   as long as the log reaches back to it
   * @returns the number of the last change
   * @throws {TypeError} for what is malformed, and on a leaf
   */
  async publish(changes: readonly Change[], publication: string): Promise<number> {
    const { object } = this.#identity("root");
    const judged = assertChanges(changes);
    assertPublication(publication);
    if (judged.length === 0) return this.#log.position()?.seq ?? 0;
    this.#log.open(object);
    const logged = this.#log.publish(judged, publication, Date.now());
    this.#sockets.send(logged.changes);
    this.ctx.waitUntil(this.#leaves.pass());
    await this.#scheduleNext();
    return logged.seq;
  }

  /** A leaf of this root wants what is published. @throws {TypeError} for what is malformed, and on a leaf */
  async attach(leaf: string, resume?: Position): Promise<CatchUp> {
    const { object } = this.#identity("root");
    assertLeaf(leaf);
    const from = resume === undefined ? undefined : assertPosition(resume);
    this.#log.open(object);
    const answer = this.#leaves.attach(leaf, from);
    await this.#scheduleNext();
    return answer;
  }

  /** A leaf of this root wants nothing any more. @throws {TypeError} for what is malformed, and on a leaf */
  async detach(leaf: string): Promise<void> {
    this.#identity("root");
    assertLeaf(leaf);
    this.#leaves.detach(leaf);
    if (this.#log.position() !== undefined) await this.#linger();
  }

  /**
   * The root passes changes on to this leaf, which asks for what it lacks in between.
   *
   * @returns the number up to which the leaf has everything; `NOT_ATTACHED` when nobody listens here
   * @throws {TypeError} for what is malformed, and on a root
   */
  async relay(epoch: string, previousSeq: number, changes: readonly NumberedChange[]): Promise<number> {
    this.#identity("leaf");
    const from = assertPosition({ epoch, seq: previousSeq });
    const judged = assertFollowing(changes, from.seq);
    const link = this.#link();
    if (this.#log.position() === undefined && !link.isCatchingUp()) return NOT_ATTACHED;
    // Twice at most: the first time may be one that had begun before these changes were published.
    for (let tries = 0; !link.take(from, judged) && tries < 2; tries += 1) await link.catchUp();
    await this.#scheduleNext();
    return this.#log.position()?.seq ?? NOT_ATTACHED;
  }

  /** Tidies up. It is set only while there is something that time brings about, so quiet listeners wake nobody. */
  override async alarm(): Promise<void> {
    this.#alarm.hasRung();
    if (this.#log.position() === undefined) return;
    const { role } = this.#identity(); // While the name is still stored.
    this.#log.tidy(Date.now());
    if (role === "leaf") {
      if (this.#isDeserted()) return this.#leave();
      if (this.#sockets.isEmpty()) await this.#linger();
    } else {
      const isIdle = this.#leaves.isEmpty() && this.#log.expiresAt() === undefined;
      if (isIdle && this.#isDeserted()) return this.#forget();
      this.ctx.waitUntil(this.#leaves.pass());
    }
    await this.#scheduleNext();
  }

  /** The runtime itself answers a ping, and nothing else is expected. */
  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (message !== PING) close(socket, CLOSE_UNSUPPORTED);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    await this.#left(socket);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#left(socket);
  }

  async #left(socket: WebSocket): Promise<void> {
    close(socket, 1_000);
    // Not now, as a listener that lost its socket is back in a moment. The alarm sees whether anybody is there.
    if (this.#log.position() !== undefined && this.#sockets.isEmpty()) await this.#linger();
  }

  async #leave(): Promise<void> {
    try {
      await this.#link().leave(async () => {
        // Somebody may have come meanwhile. Then it is attached anew.
        if (this.#isDeserted()) await this.#forget();
      });
    } catch {
      // The root could not be told, for whatever reason; until it is, it goes on passing changes to this leaf.
      await this.#linger();
    }
  }

  /** For whoever comes back in a moment. Then the alarm sees whether anybody is there. */
  #linger(): Promise<void> {
    return this.#alarm.ringBy(Date.now() + this.#limits.lingerMs);
  }

  async #forget(): Promise<void> {
    this.#alarm.hasRung();
    await this.ctx.storage.deleteAll();
  }

  #isDeserted(): boolean {
    return this.#rootLink?.isBusy() !== true && this.#sockets.isEmpty();
  }

  /** Sets the alarm for what is due next, if anything is. */
  async #scheduleNext(): Promise<void> {
    await this.#alarm.ringBy(this.#dueAt());
  }

  /** Of what time brings about while somebody listens; infinity when there is nothing. */
  #dueAt(): number {
    const expiresAt = this.#log.expiresAt() ?? Number.POSITIVE_INFINITY;
    return this.#leaves.isBehind() ? Math.min(expiresAt, Date.now() + this.#limits.retryMs) : expiresAt;
  }

  /** @throws {TypeError} when the object is not a hub, or not of the wanted role */
  #identity(wanted?: HubName["role"]): HubName & { readonly object: string } {
    if (this.#name === undefined) {
      // An alarm that wakes the object brings no name along, so the log has it too.
      const object = this.ctx.id.name ?? this.#log.object() ?? "";
      const parsed = parseHubName(object);
      if (parsed === undefined) throw new TypeError("a hub object must be addressed by a hub name");
      this.#name = { ...parsed, object };
    }
    if (wanted !== undefined && this.#name.role !== wanted) throw new TypeError(`only a ${wanted} hub does that`);
    return this.#name;
  }

  #link(): RootLink {
    const name = this.#identity("leaf");
    if (name.role !== "leaf") throw new TypeError("only a leaf has a root"); // Judged above, for the compiler.
    this.#rootLink ??= new RootLink(name, this.#log, {
      root: () => this.#stub(hubName(name.tenant)),
      end: {
        deliver: (changes) => this.#sockets.send(changes),
        restarted: () => this.#sockets.closeAll(CLOSE_REJOIN),
      },
    });
    return this.#rootLink;
  }

  #stub(name: string): DurableObjectStub<SubscriptionHub> {
    return this.#class().namespace(this.ctx, this.env).getByName(name);
  }

  /** Where a subclass's statics are. */
  #class(): typeof SubscriptionHub {
    return this.constructor as typeof SubscriptionHub; // Its instances are made by nothing else.
  }
}
