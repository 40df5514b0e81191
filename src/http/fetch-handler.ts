/**
 * `createFetchHandler`: an `McpServer` behind Web-standard `fetch`.
 *
 * The order of the checks is the ladder of the design: path, preflight, Origin and Host, method, authentication, media
 * types, size, and then the message. Everything an outsider sends ends on one of its rungs.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http
 */
import { ErrorCode, ProtocolError, UnavailableError } from "../protocol/errors.ts";
import { encodeError, encodeResult } from "../protocol/json-rpc.ts";
import type { AuthInfo } from "../server/exchange.ts";
import { toProtocolError } from "../server/internal-error.ts";
import type { McpServer } from "../server/mcp-server.ts";
import { type Accepts, classifyHead, classifyMessage, classifyMethod, refuse, type Refusal } from "./classify.ts";
import { type FromEnv, fromEnv } from "./from-env.ts";
import { HttpExchange, type RuntimeContext } from "./http-exchange.ts";
import {
  type AllowedHosts,
  type AllowedOrigins,
  corsHeaders,
  isAllowedHost,
  isAllowedOrigin,
  isPreflight,
  preflightHeaders,
} from "./origin.ts";
import { readBody } from "./read-body.ts";
import { JSON_HEADERS, Reply, type ReplyTiming, type Settled } from "./reply.ts";
import { Sealers, type StateKeys } from "./state-keys.ts";
import { statusOfFailure } from "./status.ts";

export type Authenticate<Env> = (
  request: Request,
  env: Env,
) => AuthInfo | null | Response | Promise<AuthInfo | null | Response>;

export interface FetchHandlerOptions<Env = unknown> {
  /** The endpoint's path. Default `/mcp`. Every other path is 404. */
  path?: string;
  /** Pages of other origins that may call. Default none. See {@link AllowedOrigins}. */
  allowedOrigins?: FromEnv<AllowedOrigins, Env>;
  /** Host names to answer to; set it to `"loopback"` for a server bound to this machine. Default any. */
  allowedHosts?: FromEnv<AllowedHosts, Env>;
  /**
   * 32-byte keys that seal `requestState` (bytes, 64 hex digits or Base64). The first seals, all open. Without any, a
   * random key serves until this isolate ends, so a question asked by one instance cannot be answered at another.
   */
  stateKeys?: FromEnv<StateKeys, Env>;
  /** How long a caller may take to answer a question, in milliseconds. Default 600,000. */
  stateTtlMs?: number;
  /** Who calls? A `Response` (401, 403, …) refuses; null is anonymous. Runs before the body is read. */
  authenticate?: Authenticate<Env>;
  /** Largest body, in bytes. Default 4 MiB. */
  maxBodyBytes?: number;
  /** How long a body may take to arrive, in milliseconds, once it does not come in one piece. Default 30,000. */
  bodyTimeoutMs?: number;
  /** After how many milliseconds a silent call turns into a stream. Default 3,000. */
  openAfterMs?: number;
  /** Milliseconds between keep-alive comments on a stream. Default 15,000. */
  keepAliveMs?: number;
  /** Told what went wrong on this side. Default `console.error`. */
  onError?: (error: unknown, context: { method: string }) => void;
  /** Told what the operator should mend. Default `console.warn`. */
  onWarning?: (message: string) => void;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
}

export interface FetchHandler<Env = unknown> {
  fetch(request: Request, env?: Env, runtime?: RuntimeContext): Promise<Response>;
}

const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024;
const DEFAULT_BODY_TIMEOUT_MS = 30_000;
const DEFAULT_STATE_TTL_MS = 600_000;
const DEFAULT_OPEN_AFTER_MS = 3_000;
/** Cloudflare cuts a silent stream after about five minutes, other proxies after 30 to 60 seconds. */
const DEFAULT_KEEP_ALIVE_MS = 15_000;
/** Longer than subscriptions take to acknowledge or refuse, so that a refusal keeps its status and its headers. */
const LISTEN_OPEN_AFTER_MS = 20_000;

/** @throws {TypeError} naming the option that is out of range */
export function createFetchHandler<Env = unknown>(
  server: McpServer<Env>,
  options: FetchHandlerOptions<Env> = {},
): FetchHandler<Env> {
  const handler = new Handler(server, options);
  return { fetch: (request, env, runtime) => handler.fetch(request, env as Env, runtime) }; // Absent only where Env is unknown.
}

class Handler<Env> {
  readonly #server: McpServer<Env>;
  readonly #options: FetchHandlerOptions<Env>;
  readonly #path: string;
  readonly #limits: { maxBytes: number; timeoutMs: number };
  readonly #timing: ReplyTiming;
  readonly #listenTiming: ReplyTiming;
  readonly #onError: (error: unknown, context: { method: string }) => void;
  readonly #sealers: Sealers<Env>;

  constructor(server: McpServer<Env>, options: FetchHandlerOptions<Env>) {
    this.#server = server;
    this.#options = options;
    this.#path = options.path ?? "/mcp";
    if (!this.#path.startsWith("/")) throw new TypeError("path: must start with /");
    this.#limits = {
      maxBytes: positive("maxBodyBytes", options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES),
      timeoutMs: positive("bodyTimeoutMs", options.bodyTimeoutMs ?? DEFAULT_BODY_TIMEOUT_MS),
    };
    this.#timing = {
      openAfterMs: positive("openAfterMs", options.openAfterMs ?? DEFAULT_OPEN_AFTER_MS),
      keepAliveMs: positive("keepAliveMs", options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS),
    };
    this.#listenTiming = { ...this.#timing, openAfterMs: LISTEN_OPEN_AFTER_MS };
    this.#sealers = new Sealers({
      keys: options.stateKeys,
      ttlMs: positive("stateTtlMs", options.stateTtlMs ?? DEFAULT_STATE_TTL_MS),
      now: options.now ?? Date.now,
      context: this.#path,
      onWarning: options.onWarning ?? ((message) => console.warn(`mcp-edge: ${message}`)),
    });
    const onError = options.onError ?? ((error, { method }) => console.error(`mcp-edge: ${method}:`, error));
    this.#onError = (error, context) => {
      try {
        onError(error, context);
      } catch {
        // A sink that fails must not take the reply with it, and there is nowhere left to say so.
      }
    };
  }

  async fetch(request: Request, env: Env, runtime: RuntimeContext | undefined): Promise<Response> {
    if (pathOf(request.url) !== this.#path) return text(404, `The MCP endpoint of this server is ${this.#path}`);
    const origin = request.headers.get("origin");
    let cors: Cors;
    try {
      const stranger = this.#refuseStranger(request, origin, env);
      if (stranger !== undefined) return stranger;
      if (origin !== null && isPreflight(request.method, request.headers)) {
        const requested = request.headers.get("access-control-request-headers");
        return new Response(null, { status: 204, headers: preflightHeaders(origin, requested) });
      }
      cors = origin === null ? undefined : corsHeaders(origin);
      return await this.#serve(request, { env, runtime, cors });
    } catch (error) {
      this.#onError(error, { method: "fetch" });
      const failure = new ProtocolError(ErrorCode.InternalError, "Internal error");
      return new Response(encodeError(undefined, failure), { headers: { ...JSON_HEADERS, ...cors } });
    }
  }

  /** MUST — #security-endpoint 1. */
  #refuseStranger({ url }: Request, origin: string | null, env: Env): Response | undefined {
    const { allowedHosts, allowedOrigins = [] } = this.#options;
    if (allowedHosts !== undefined && !isAllowedHost(url, fromEnv(allowedHosts, env))) {
      return text(403, "This server does not answer to that host name");
    }
    if (origin !== null && !isAllowedOrigin(origin, url, fromEnv(allowedOrigins, env))) {
      return text(403, "Pages of this origin may not call this server");
    }
    return undefined;
  }

  async #serve(request: Request, { env, runtime, cors }: Given<Env>): Promise<Response> {
    const wrongMethod = classifyMethod(request.method);
    if (wrongMethod !== undefined) return refusal(wrongMethod, cors);
    const { authenticate } = this.#options;
    const auth = authenticate === undefined ? null : await this.#authenticate(authenticate, request, env);
    if (auth instanceof Response) return withHeaders(auth, cors);
    const { headers } = request;
    const header = (name: string): string | null => headers.get(name);
    const head = classifyHead(header);
    if (head.outcome === "refuse") return refusal(head, cors);
    const body = await readBody(request, this.#limits);
    if (body.text === undefined) return refusal(bodyRefusal(body), cors);
    const message = classifyMessage(body.text, header);
    if (message.outcome === "refuse") return refusal(message, cors);
    if (message.outcome === "accept-notification") {
      return new Response(null, { status: 202, ...(cors && { headers: cors }) });
    }
    if (message.request.method === "subscriptions/listen" && !head.accepts.eventStream) {
      return refusal(refuse(406, "Accept: subscriptions/listen is answered with text/event-stream"), cors);
    }
    const surroundings = { env, runtime, sealers: this.#sealers, onError: this.#onError };
    const exchange = new HttpExchange(request, { ...message, auth }, surroundings);
    return this.#answer(exchange, message.request.id, head.accepts, cors);
  }

  /** Fails closed: whoever cannot be authenticated right now is not served. */
  async #authenticate(
    authenticate: Authenticate<Env>,
    request: Request,
    env: Env,
  ): Promise<AuthInfo | null | Response> {
    try {
      const auth = await authenticate(request, env);
      if (auth === null || auth instanceof Response || typeof auth.subject === "string") return auth;
      throw new TypeError("authenticate: must return null, a Response, or an object with a subject");
    } catch (error) {
      this.#onError(error, { method: "authenticate" });
      return text(503, "Authentication is not possible right now");
    }
  }

  #answer(exchange: HttpExchange<Env>, id: string, accepts: Accepts, cors: Cors): Response | Promise<Response> {
    const timing = exchange.method === "subscriptions/listen" ? this.#listenTiming : this.#timing;
    const reply = new Reply(accepts, timing, cors, exchange);
    exchange.attach(reply);
    let result: string | Promise<string>;
    try {
      result = this.#server.handle(exchange);
    } catch (error) {
      return reply.complete(failed(error, id, exchange));
    }
    if (typeof result === "string") return reply.complete({ status: 200, json: encodeResult(id, result) });
    const work = result.then(
      (json) => ({ status: 200, json: encodeResult(id, json) }),
      (error: unknown) => failed(error, id, exchange),
    );
    exchange.follow(work);
    return reply.respond(work);
  }
}

type Cors = Record<string, string> | undefined;

interface Given<Env> {
  readonly env: Env;
  readonly runtime: RuntimeContext | undefined;
  readonly cors: Cors;
}

function failed<Env>(cause: unknown, id: string, exchange: HttpExchange<Env>): Settled {
  const error = toProtocolError(exchange, cause);
  const settled = { status: statusOfFailure(error), json: encodeError(id, error) };
  return error instanceof UnavailableError ? { ...settled, retryAfterMs: error.retryAfterMs } : settled;
}

function bodyRefusal({
  status,
  reason,
  notUtf8,
}: {
  status: 400 | 408 | 413;
  reason: string;
  notUtf8?: boolean;
}): Refusal {
  if (notUtf8 !== true) return refuse(status, reason);
  const error = new ProtocolError(ErrorCode.ParseError, `Parse error: ${reason}`);
  return { outcome: "refuse", status, error, id: undefined };
}

function refusal({ status, error, id, text: line, allow }: Refusal, cors: Cors): Response {
  const extra = { ...cors, ...(allow !== undefined && { allow }) };
  if (error === undefined) return text(status, line ?? "", extra);
  return new Response(encodeError(id, error), { status, headers: { ...JSON_HEADERS, ...extra } });
}

function text(status: number, line: string, extra?: Record<string, string>): Response {
  return new Response(`${line}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8", ...extra } });
}

function withHeaders(response: Response, extra: Cors): Response {
  if (extra === undefined) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(extra)) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

/** The path of an absolute URL, without the cost of parsing the rest of it. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

function positive(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`${name}: must be an integer of 1 or more`);
  return value;
}
