/**
 * A client's way to one server, in one era. `McpClient` asks its session and knows nothing of eras; the modern one is
 * `http-session.ts`, the legacy ones are in `legacy/`.
 */
import type { SubscriptionFilter } from "../protocol/subscription.ts";
import type {
  CallToolResult,
  ClientCapabilities,
  Implementation,
  InputRequest,
  JsonObject,
  LogLevel,
  ServerCapabilities,
} from "../protocol/types.ts";
import type { ParamHeader } from "../schema/param-headers.ts";
import type { AuthProvider } from "./auth-provider.ts";

/** What a server says of itself. */
export interface ServerDescription {
  readonly era: "modern" | "legacy";
  /** The revision that is spoken. */
  readonly version: string;
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface LogMessage {
  readonly level: LogLevel;
  readonly logger?: string | undefined;
  readonly data: unknown;
}

/** What a caller may say of one request. */
export interface RequestOptions {
  signal?: AbortSignal;
  /** Called with each progress notification, in order. Asking for it is what makes a server report. */
  onProgress?: (progress: Progress) => void;
  /** Called with each log message of this request, at `logLevel` (default `info`) or above. */
  onLog?: (message: LogMessage) => void;
  logLevel?: LogLevel;
  /** How long nothing may be heard, in milliseconds; progress starts it anew. Default 60,000. */
  timeoutMs?: number;
  /** How long the request may take in all, in milliseconds. Default 600,000. */
  maxTimeoutMs?: number;
  /** More members of `_meta`, such as trace context. */
  meta?: JsonObject;
}

/** A request as a session sends it. */
export interface SessionRequest {
  readonly method: string;
  /** Without `_meta`, which the session writes. */
  readonly params: JsonObject;
  /** Which arguments are mirrored into headers, for `tools/call`. */
  readonly paramHeaders?: readonly ParamHeader[] | undefined;
  readonly options: RequestOptions;
}

/** Answers what a server asks for while it works on a request. Each is absent where the client does not offer it. */
export interface InputHandlers {
  /** Form or URL elicitation. The answer is sent as it is returned: `{ action, content? }`. */
  elicit?: (
    params: Extract<InputRequest, { method: "elicitation/create" }>["params"],
    ctx: InputContext,
  ) => Promise<JsonObject>;
  sample?: (
    params: Extract<InputRequest, { method: "sampling/createMessage" }>["params"],
    ctx: InputContext,
  ) => Promise<JsonObject>;
  roots?: (ctx: InputContext) => Promise<JsonObject>;
}

export interface InputContext {
  /** Aborts when the request that it belongs to is given up. */
  readonly signal: AbortSignal;
  /** The method and params of the request that needs the answer. Undefined in the legacy era, which does not tell. */
  readonly request: { readonly method: string; readonly params: JsonObject } | undefined;
}

export interface Session {
  /**
   * Sends a request under an id of its own and waits for its result: `result` as the server sent it, `resultType` and all.
   *
   * @throws {ProtocolError} for an error response
   * @throws {McpError} for everything else that keeps a result from coming
   */
  request(request: SessionRequest): Promise<JsonObject>;
  /**
   * What the server is. The modern session asks `server/discover`, once; the legacy ones know it from the handshake.
   */
  describe(options?: RequestOptions): Promise<ServerDescription>;
  /** One stream of change notifications, without joining again: see listening.ts. */
  openStream(filter: SubscriptionFilter, sink: StreamSink, signal: AbortSignal): Promise<StreamEnd>;
  close(): Promise<void>;
}

export interface StreamSink {
  /** What the server granted. Before it nothing else is called. */
  acknowledged(granted: SubscriptionFilter): void;
  notified(method: string, params: JsonObject): void;
}

/** How a stream ended. It rejects only when it could not be opened. */
export interface StreamEnd {
  readonly how: "graceful" | "broken" | "closed";
  readonly error?: unknown;
}

/** What all sessions of a client share. */
export interface Connection {
  /** The endpoint. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly input: InputHandlers;
  readonly auth: AuthProvider | undefined;
  readonly signIns: SignIns;
  /** Sent with each request. Never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: ReadLimits;
  /** Undefined: servers of older eras are refused. */
  readonly legacy?: LegacyConnector | undefined;
  readonly onWarning: (message: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** 0 (included) to 1 (excluded). */
  readonly random: () => number;
}

/** What the provider is doing, for those who must neither hurry a person nor ask them again. */
export interface SignIns {
  underWay: number;
  /** What it failed with last. */
  failure: unknown;
}

export interface ReadLimits {
  /** Of a JSON body, and of one message on a stream, in bytes. Default 16 MiB. */
  readonly maxMessageBytes: number;
  /** Of everything on the stream of one request but `subscriptions/listen`, in bytes. Default 256 MiB. */
  readonly maxStreamBytes: number;
}

/**
 * Speaks an older era with servers that do not know this one. `legacyFallback()` of `mcp-edge/client/legacy` makes it.
 */
export interface LegacyConnector {
  /**
   * Whether an answer to a modern request gives its server away as one of an older era.
   *
   * @param body the response, or whatever else the body is as JSON; undefined where it is none
   */
  isLegacyAnswer(status: number, body: unknown): boolean;
  /** A session that asks in the modern era first, and goes on in whichever era the answer is of. */
  over(modern: Session, connection: Connection): Session;
  /** @throws {McpError} `no_common_era` when the server speaks no legacy revision either */
  connect(connection: Connection, signal: AbortSignal | undefined): Promise<Session>;
}

/** A tool's result with what the client found out about it. */
export interface CheckedToolResult extends CallToolResult {
  /** What is wrong with `structuredContent` by the tool's `outputSchema`; empty when it is right, undefined unchecked. */
  readonly issues?: readonly { readonly path: string; readonly message: string }[] | undefined;
}
