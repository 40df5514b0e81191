/**
 * The modern era: each request is a POST of its own that says everything about itself, and its reply comes back on it.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http, basic/index#meta
 */
import { McpError, ProtocolError, UNSUPPORTED_VERSION } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { SubscriptionFilter } from "../protocol/subscription.ts";
import type { Implementation, JsonObject } from "../protocol/types.ts";
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
  META_VERSION,
  SUPPORTED_VERSIONS,
} from "../protocol/versions.ts";
import { Deadline } from "./deadline.ts";
import { send } from "./http-request.ts";
import type { ReplyReading } from "./message-stream.ts";
import { readReply } from "./reply.ts";
import { requestHeaders } from "./request-headers.ts";
import { logIn, progressIn } from "./request-notifications.ts";
import type {
  Connection,
  RequestOptions,
  ServerDescription,
  Session,
  SessionRequest,
  StreamEnd,
  StreamSink,
} from "./session.ts";

export function createHttpSession(connection: Connection): Session {
  return new HttpSession(connection);
}

/** Sees the notifications on the stream of one request. */
type Listener = (method: string, params: JsonObject) => void;

class HttpSession implements Session {
  readonly #connection: Connection;
  #version = SUPPORTED_VERSIONS[0] ?? "";
  /** A safe integer for as long as anybody lives. */
  #lastId = 0;
  #described: { readonly whose: string | undefined; readonly description: ServerDescription } | undefined;
  readonly #closing = new AbortController();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async request(request: SessionRequest): Promise<JsonObject> {
    const deadline = this.#deadline(request.options);
    try {
      return await this.#negotiated((id) => {
        return this.#exchange(request, { id, deadline, onNotification: listenerFor(request.options, id, deadline) });
      });
    } finally {
      deadline.end();
    }
  }

  async describe(options: RequestOptions = {}): Promise<ServerDescription> {
    await this.#connection.auth?.ready?.();
    const whose = this.#principal();
    // Servers may tell one person what they do not tell another.
    if (whose !== undefined && this.#described?.whose === whose) return this.#described.description;
    const result = await this.request({ method: "server/discover", params: {}, options });
    const { capabilities, instructions, _meta: meta } = result;
    if (!isObject(capabilities)) throw new McpError("invalid_response", "The result of server/discover is malformed");
    const info = isObject(meta) ? meta[META_SERVER_INFO] : undefined;
    const description: ServerDescription = {
      era: "modern",
      version: this.#version,
      // Self-reported and for display only, so no more than its being an object with a name is worth a check.
      info: isObject(info) && typeof info["name"] === "string" ? (info as unknown as Implementation) : undefined,
      capabilities,
      instructions: typeof instructions === "string" ? instructions : undefined,
    };
    if (this.#principal() === whose) this.#described = { whose, description };
    return description;
  }

  /** Undefined: nobody can say. */
  #principal(): string | undefined {
    const { auth } = this.#connection;
    return auth === undefined ? "" : auth.principal?.();
  }

  async openStream(filter: SubscriptionFilter, sink: StreamSink, signal: AbortSignal): Promise<StreamEnd> {
    // A stream is silent for as long as nothing changes; whoever opens it decides how long to wait for it.
    const deadline = this.#deadline({ signal, timeoutMs: Infinity, maxTimeoutMs: Infinity });
    let live = false;
    const listener = (id: number): Listener => {
      return (method, params) => {
        const meta = params["_meta"];
        if (!isObject(meta) || meta[META_SUBSCRIPTION_ID] !== id) return;
        if (method !== "notifications/subscriptions/acknowledged") {
          // MUST NOT — basic/patterns/subscriptions#acknowledgment: nothing comes before it.
          if (live) sink.notified(method, params);
        } else if (!live && isObject(params["notifications"])) {
          live = true;
          sink.acknowledged(params["notifications"]);
        }
      };
    };
    const request = { method: "subscriptions/listen", params: { notifications: filter }, options: {} };
    try {
      await this.#negotiated((id) => {
        return this.#exchange(request, { id, deadline, onNotification: listener(id), endless: true });
      });
      if (!live) throw new McpError("invalid_response", "The subscription ended before it was granted");
      return { how: "graceful" };
    } catch (error) {
      if (deadline.signal.aborted) return { how: "closed" };
      if (!live) throw error;
      return { how: "broken", error };
    } finally {
      deadline.end();
    }
  }

  close(): Promise<void> {
    this.#closing.abort(new McpError("aborted", "The client was closed"));
    return Promise.resolve();
  }

  #deadline(options: RequestOptions): Deadline {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    return new Deadline(options, signal);
  }

  /** SHOULD — basic/versioning#protocol-version-negotiation: once more in a version that both speak. */
  async #negotiated(send: (id: number) => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return await send(++this.#lastId);
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== UNSUPPORTED_VERSION) throw error;
      const offered = isObject(error.data) ? error.data["supported"] : undefined;
      const common = SUPPORTED_VERSIONS.find((version) => Array.isArray(offered) && offered.includes(version));
      if (common === undefined) {
        throw new McpError("no_common_version", "No revision is spoken by both sides", { cause: error });
      }
      this.#version = common;
      return send(++this.#lastId);
    }
  }

  async #exchange(request: SessionRequest, exchange: Exchange): Promise<JsonObject> {
    const { method, params } = request;
    const { id, deadline, onNotification, endless } = exchange;
    const { limits } = this.#connection;
    const _meta = this.#metaOf(request.options, id);
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
    const headers = requestHeaders(request, this.#version);
    const { url } = this.#connection;
    const response = await send(this.#connection, { method: "POST", url, headers, body }, deadline);
    const reading: ReplyReading = {
      id,
      limits: endless === true ? { ...limits, maxStreamBytes: Infinity } : limits,
      signal: deadline.signal,
      onNotification,
      onWarning: this.#connection.onWarning,
    };
    return await readReply(response, reading, this.#connection);
  }

  #metaOf({ meta, onProgress, onLog, logLevel = "info" }: RequestOptions, id: number): JsonObject {
    const { info, capabilities } = this.#connection;
    return {
      ...meta,
      [META_VERSION]: this.#version,
      [META_CLIENT_INFO]: info,
      [META_CLIENT_CAPABILITIES]: capabilities,
      ...(onProgress && { progressToken: id }),
      ...(onLog && { [META_LOG_LEVEL]: logLevel }),
    };
  }
}

interface Exchange {
  readonly id: number;
  readonly deadline: Deadline;
  readonly onNotification: Listener;
  /** Whether there is no bound to what comes on the stream in all. */
  readonly endless?: boolean;
}

/** Progress and log messages, strictly those of this request. */
function listenerFor({ onProgress, onLog }: RequestOptions, id: number, deadline: Deadline): Listener {
  return (method, params) => {
    if (method === "notifications/progress" && params["progressToken"] === id) {
      const progress = progressIn(params);
      if (onProgress === undefined || progress === undefined) return;
      deadline.heard();
      onProgress(progress);
    } else if (method === "notifications/message") {
      const log = logIn(params);
      if (log !== undefined) onLog?.(log);
    }
  };
}
