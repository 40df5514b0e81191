/**
 * A session of the legacy era, on either wire: requests, the handshake again when the server has forgotten it, and the one
 * stream of changes that all listeners share.
 *
 * @see spec 2025-11-25 basic/lifecycle, basic/transports#session-management
 */
import { McpError } from "../../protocol/errors.ts";
import type { SubscriptionFilter } from "../../protocol/subscription.ts";
import type { JsonObject } from "../../protocol/types.ts";
import type {
  Connection,
  RequestOptions,
  ServerDescription,
  Session,
  SessionRequest,
  StreamEnd,
  StreamSink,
} from "../session.ts";
import { orAbort } from "../or-abort.ts";
import { isRead } from "../reads.ts";
import { type Link, type LinkOptions, shakeHands, unanswered } from "./link.ts";
import { Peer } from "./peer.ts";
import type { PendingRequest } from "./pending.ts";
import { grantable, Subscribers } from "./subscribers.ts";
import { UriSubscriptions } from "./uri-subscriptions.ts";
import { SessionLost, type Wire, type WireOwner } from "./wire.ts";

/** Nobody has to answer this one. */
const PING_TIMEOUT_MS = 5_000;

/** Opens a wire that nothing was sent on. */
export type OpenWire = (owner: WireOwner, signal: AbortSignal) => Promise<Wire>;

export class LegacySession implements Session {
  readonly #connection: Connection;
  readonly #openWire: OpenWire;
  readonly #peer: Peer;
  readonly #options: LinkOptions;
  readonly #subscribers = new Subscribers();
  readonly #uris: UriSubscriptions;
  readonly #closed = new AbortController();
  /** The handshake that counts, whether it is over or under way. */
  #link: Promise<Link> | undefined;

  /** @param versions newest first */
  constructor(connection: Connection, versions: readonly string[], openWire: OpenWire) {
    this.#connection = connection;
    this.#openWire = openWire;
    this.#peer = new Peer(connection, {
      tell: (message) => this.#tell(message),
      notified: (method, params) => this.#subscribers.notified(method, params),
      closed: this.#closed.signal,
    });
    this.#options = { connection, versions, peer: this.#peer, closed: this.#closed.signal };
    this.#uris = new UriSubscriptions(
      (method, uri, signal) => this.request({ method, params: { uri }, options: signal ? { signal } : {} }),
      (uri) => this.#subscribers.want(uri),
    );
  }

  async describe(options: RequestOptions = {}): Promise<ServerDescription> {
    return (await orAbort(this.#linked(), options.signal)).server;
  }

  async request({ method, params, options }: SessionRequest): Promise<JsonObject> {
    const request = this.#peer.open(method, options);
    const meta = { ...options.meta, ...(options.onProgress && { progressToken: request.id }) };
    const message = {
      jsonrpc: "2.0",
      id: request.id,
      method,
      params: Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params,
    };
    this.#deliver(message, request, options).catch((error: unknown) => request.fail(error));
    return request.result;
  }

  async openStream(filter: SubscriptionFilter, sink: StreamSink, signal: AbortSignal): Promise<StreamEnd> {
    const isOffered = await orAbort(this.#listen(), signal);
    const { capabilities } = await this.describe({ signal });
    const hoped = isOffered ? grantable(filter, capabilities) : {};
    const subscription = this.#subscribers.add(hoped, sink);
    const leave = (): void => subscription.leave({ how: "closed" });
    signal.addEventListener("abort", leave);
    try {
      const { resourceSubscriptions: uris, ...lists } = hoped;
      const taken = uris && { resourceSubscriptions: await this.#uris.add(uris, signal) };
      if (signal.aborted) leave();
      else subscription.acknowledge({ ...lists, ...taken });
      const end = await subscription.ended;
      // Whoever lost the stream is about to subscribe again.
      if (end.how === "closed" && !this.#closed.signal.aborted) void this.#uris.remove(uris ?? []);
      return end;
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const error = new McpError("aborted", "The client was closed");
    const link = this.#link;
    this.#closed.abort(error);
    this.#peer.fail(error);
    this.#subscribers.endAll({ how: "closed" });
    await link?.then(({ wire }) => wire.close(), ignore);
  }

  /** @returns whether there is a stream of what belongs to no request */
  async #listen(): Promise<boolean> {
    const link = this.#linked();
    if (await this.#onLink(({ wire }) => wire.listen())) return true;
    // A server without streams refuses one just like a server that has forgotten the session, which says so to a request.
    await this.request({ method: "ping", params: {}, options: { timeoutMs: PING_TIMEOUT_MS } }).catch(ignore);
    return link === this.#link ? false : this.#onLink(({ wire }) => wire.listen());
  }

  async #deliver(message: JsonObject, request: PendingRequest, options: RequestOptions): Promise<void> {
    await this.#onLink(
      async (link) => {
        if (request.signal.aborted) return;
        await link.askForLogs(options);
        await link.hearServer();
        if (request.signal.aborted) return;
        request.isSent = true;
        await link.wire.send(message, request);
        if (!link.wire.answersLater) request.fail(unanswered(request.method));
      },
      () => !request.isSent || isRead(request.method),
    );
  }

  /**
   * Runs on the handshake that counts, and once more on a new one if the server has forgotten that.
   *
   * @param isRepeatable whether that does no harm where the server has acted after all
   */
  async #onLink<T>(use: (link: Link) => Promise<T>, isRepeatable = (): boolean => true): Promise<T> {
    const link = this.#linked();
    try {
      return await use(await link);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      // Whoever comes first begins anew, and all others join in.
      if (this.#link === link) this.#forget(error);
      if (error.isHearsay && !isRepeatable()) throw error.cause;
    }
    try {
      return await use(await this.#linked());
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      throw error.cause ?? new McpError("http_error", "The server has forgotten the session", { cause: error });
    }
  }

  #linked(): Promise<Link> {
    if (this.#closed.signal.aborted) return Promise.reject(this.#closed.signal.reason);
    if (this.#link === undefined) {
      const link = this.#connect();
      this.#link = link;
      // A failed handshake is tried again by the next who needs one.
      link.catch(() => {
        if (this.#link === link) this.#link = undefined;
      });
    }
    return this.#link;
  }

  async #connect(): Promise<Link> {
    const owner: WireOwner = {
      received: (message, requestId) => this.#peer.received(message, requestId),
      deafened: (error, isMute) => {
        this.#subscribers.endAll({ how: "broken", error });
        if (isMute) this.#peer.fail(new McpError("stream_ended", "The server's stream ended", { cause: error }));
      },
    };
    return shakeHands(await this.#openWire(owner, this.#closed.signal), this.#options);
  }

  #forget(reason: SessionLost): void {
    const lost = this.#link;
    this.#link = undefined;
    this.#subscribers.endAll({ how: "broken", error: reason });
    void lost?.then(({ wire }) => wire.forget(), ignore);
  }

  async #tell(message: JsonObject): Promise<void> {
    const link = this.#link;
    if (link === undefined || this.#closed.signal.aborted) return;
    try {
      await (await link).tell(message);
    } catch {
      if (!this.#closed.signal.aborted) this.#connection.onWarning("A message did not reach the server");
    }
  }
}

function ignore(): void {
  // Nothing is left that it could matter to.
}
