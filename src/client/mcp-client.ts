/**
 * A client of one server: what hosts, pages and Workers call.
 *
 * Contract: nothing is sent before it is asked for, and there is no handshake in the modern era. A tool's mirrored headers
 * and output schema are known once `listTools` was called; a call of a tool that was never listed goes out without them,
 * and a server that misses them makes the client list once and call again. Failures are `ProtocolError` when the server
 * says so in JSON-RPC, and `McpError` otherwise.
 *
 * On Workers, make a client for each request that needs one: it is cheap, and what belongs to one request of theirs is not
 * to be waited for by another.
 *
 * @see spec 2026-07-28
 */
import { clip, HEADER_MISMATCH, McpError, ProtocolError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { SubscriptionFilter } from "../protocol/subscription.ts";
import type { GetPromptResult, JsonObject, ReadResourceResult } from "../protocol/types.ts";
import type { CacheableRequest } from "./cache-entry.ts";
import {
  type CallOptions,
  connectionOf,
  type InputMode,
  type MaybePending,
  type McpClientOptions,
  type ReadOptions,
} from "./client-options.ts";
import { assertNumbers, DEFAULT_MAX_TIMEOUT_MS } from "./deadline.ts";
import { createHttpSession } from "./http-session.ts";
import { withSafeIcons, withSafeLinks } from "./icons.ts";
import {
  answerParams,
  type InputResponses,
  isPendingInput,
  MAY_ASK,
  type PendingInput,
  sendInRounds,
} from "./input-rounds.ts";
import type { Completion, CompletionQuestion, Prompt, Resource, ResourceTemplate, Tool } from "./listed.ts";
import { listen, type Listening, type ListenOptions } from "./listening.ts";
import { readPages } from "./paging.ts";
import type { CacheUse, ResultCache } from "./result-cache.ts";
import { withRetries } from "./retries.ts";
import type { CheckedToolResult, Connection, RequestOptions, ServerDescription, Session } from "./session.ts";
import { ToolCatalogue } from "./tool-catalogue.ts";

const DEFAULT_RETRIES = 2;
const DEFAULT_MAX_ROUNDS = 10;

/** One request, with all its rounds. */
interface Asking {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: CallOptions & ReadOptions;
  /** What an earlier round wants to be answered with. */
  readonly answered?: JsonObject | undefined;
  /** Whether serving it twice does no harm. */
  readonly repeatable: boolean;
}

export class McpClient {
  readonly #connection: Connection;
  readonly #session: Session;
  readonly #tools: ToolCatalogue;
  readonly #cache: ResultCache | undefined;
  readonly #retries: number;
  readonly #maxRounds: number;
  readonly #closing = new AbortController();

  /** @throws {TypeError} when the URL is not one of HTTP, or a number is none */
  constructor(url: string | URL, options: McpClientOptions) {
    const connection = connectionOf(url, options);
    const modern = createHttpSession(connection);
    this.#connection = connection;
    this.#session = options.legacy === undefined ? modern : options.legacy.over(modern, connection);
    this.#tools = new ToolCatalogue(options.schemas, connection.onWarning);
    this.#cache = options.cache?.(connection);
    const { retries = DEFAULT_RETRIES, maxRounds = DEFAULT_MAX_ROUNDS } = options;
    assertNumbers({ retries, maxRounds });
    this.#retries = retries;
    this.#maxRounds = maxRounds;
  }

  /** What the server says of itself. Asked once, or once for each principal that the provider names. */
  async discover(options: RequestOptions = {}): Promise<ServerDescription> {
    const description = await this.#withRetries((timed) => this.#session.describe(timed), options);
    return { ...description, info: description.info && withSafeIcons(description.info) };
  }

  /**
   * Calls a tool. A result with `isError` is a result like any other; `issues` says what is wrong with structured content.
   *
   * Only tools that were listed, and say that they are read-only or idempotent, are called again when the way fails.
   */
  async callTool<M extends InputMode = "handlers">(
    name: string,
    args: JsonObject = {},
    options: CallOptions<M> = {},
  ): Promise<CheckedToolResult | MaybePending<M>> {
    const repeatable = this.#tools.isRepeatable(name);
    return this.#finished({ method: "tools/call", params: { name, arguments: args }, options, repeatable });
  }

  /** All tools. Those whose header annotations break the rules are left out, with a warning. */
  async listTools(options: ReadOptions = {}): Promise<Tool[]> {
    return this.#tools.replace(await this.#list<unknown>("tools/list", "tools", options));
  }

  async listResources(options: ReadOptions = {}): Promise<Resource[]> {
    return this.#list("resources/list", "resources", options);
  }

  async listResourceTemplates(options: ReadOptions = {}): Promise<ResourceTemplate[]> {
    return this.#list("resources/templates/list", "resourceTemplates", options);
  }

  async listPrompts(options: ReadOptions = {}): Promise<Prompt[]> {
    return this.#list("prompts/list", "prompts", options);
  }

  async readResource<M extends InputMode = "handlers">(
    uri: string,
    options: CallOptions<M> & ReadOptions = {},
  ): Promise<ReadResourceResult | MaybePending<M>> {
    return this.#finished({ method: "resources/read", params: { uri }, options, repeatable: true });
  }

  async getPrompt<M extends InputMode = "handlers">(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: CallOptions<M> = {},
  ): Promise<GetPromptResult | MaybePending<M>> {
    return this.#finished({ method: "prompts/get", params: { name, arguments: args }, options, repeatable: true });
  }

  async complete(question: CompletionQuestion, options: RequestOptions = {}): Promise<Completion> {
    const { completion } = await this.#read("completion/complete", { ...question }, options);
    if (!isObject(completion) || !Array.isArray(completion["values"])) throw malformed("completion/complete");
    return completion as unknown as Completion; // Values are for display, as the server sent them.
  }

  /**
   * Goes on with a request that was left waiting for input, in this client or another one of the same server.
   *
   * @param pending as a call in manual mode returned it, or as it was stored
   * @returns what the call would have returned: `R` is for the caller to know, since the method is only known at run time
   */
  async resume<R = CheckedToolResult, M extends InputMode = "handlers">(
    pending: PendingInput,
    inputResponses: InputResponses,
    options: CallOptions<M> = {},
  ): Promise<R | MaybePending<M>> {
    const { method, params } = pending;
    const answered = answerParams(pending, inputResponses);
    return this.#finished({ method, params, options, repeatable: false, answered });
  }

  /**
   * Any other request, of an extension for instance. Sent once.
   *
   * @param resultTypes values of `resultType` that the caller understands beside `complete`
   */
  async request<M extends InputMode = "handlers">(
    method: string,
    params: JsonObject = {},
    options: CallOptions<M> & { resultTypes?: readonly string[] } = {},
  ): Promise<JsonObject | MaybePending<M>> {
    const result = await this.#ask({ method, params, options, repeatable: false });
    if (isPending(result, options)) return result as MaybePending<M>; // In manual mode alone, as the type says.
    return options.resultTypes?.includes(String(result["resultType"])) ? result : complete(method, result);
  }

  /** Changes, as long as the caller listens. Several subscriptions know nothing of one another. */
  listen(filter: SubscriptionFilter, options: ListenOptions = {}): Listening {
    const onEvent: ListenOptions["onEvent"] = (event) => {
      this.#cache?.heard(event, filter);
      options.onEvent?.(event);
    };
    return listen(this.#session, filter, {
      ...options,
      ...this.#connection,
      onEvent,
      owner: this.#closing.signal,
    });
  }

  /** Forgets what the cache holds of this server, as when somebody signs out. */
  async clearCache(): Promise<void> {
    await this.#cache?.clear();
  }

  /** Ends what is under way with `aborted`. The client is of no use afterwards. */
  close(): Promise<void> {
    this.#closing.abort(new McpError("aborted", "The client was closed"));
    return this.#session.close();
  }

  #ask({ method, params, options, answered, repeatable }: Asking): Promise<JsonObject | PendingInput> {
    const { input, cache, ...requestOptions } = options;
    const { input: handlers, capabilities } = this.#connection;
    const rounds = {
      method,
      params,
      handlers: input === "manual" ? undefined : handlers,
      capabilities,
      maxRounds: this.#maxRounds,
      signal: options.signal,
      owner: this.#closing.signal,
      send: (sent: JsonObject, hasInput: boolean) => {
        const once = (timed: RequestOptions) => this.#sendMirrored(method, sent, timed);
        // A person's answers are not given twice.
        const again = repeatable && !hasInput;
        const work = () => (again ? this.#withRetries(once, requestOptions) : once(requestOptions));
        return this.#cached({ method, params: sent }, work, cache);
      },
    };
    return sendInRounds(rounds, answered);
  }

  /** SHOULD — basic/transports/streamable-http#client-behavior: list the tools and call again, once. */
  async #sendMirrored(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const isCall = method === "tools/call";
    const paramHeaders = () => (isCall ? this.#tools.paramHeaders(String(params["name"])) : undefined);
    const send = () => this.#session.request({ method, params, paramHeaders: paramHeaders(), options });
    try {
      return await send();
    } catch (error) {
      const stale = error instanceof ProtocolError && error.code === HEADER_MISMATCH;
      if (!stale || !isCall) throw error;
      await this.listTools({ cache: "reload", ...(options.signal && { signal: options.signal }) });
      if (paramHeaders() === undefined) throw error;
      return send();
    }
  }

  /** @returns entries as the server sent them, but for unsafe icons: `T` is what they should be, and good for display */
  async #list<T>(method: string, member: string, options: ReadOptions): Promise<T[]> {
    const latest = performance.now() + (options.maxTimeoutMs ?? DEFAULT_MAX_TIMEOUT_MS);
    const entries = await readPages(member, (params) => {
      // All pages together are one request to whoever asked.
      return this.#read(method, params, { ...options, maxTimeoutMs: latest - performance.now() });
    });
    return entries.map(withSafeLinks) as T[]; // By contract.
  }

  async #read(method: string, params: JsonObject, { cache, ...options }: ReadOptions): Promise<JsonObject> {
    const send = (timed: RequestOptions) => this.#session.request({ method, params, options: timed });
    return complete(method, await this.#cached({ method, params }, () => this.#withRetries(send, options), cache));
  }

  #cached(request: CacheableRequest, load: () => Promise<JsonObject>, use?: CacheUse): Promise<JsonObject> {
    return this.#cache?.through(request, load, use) ?? load();
  }

  #withRetries<T>(send: (timed: RequestOptions) => Promise<T>, options: RequestOptions): Promise<T> {
    const { random } = this.#connection;
    return withRetries(send, { retries: this.#retries, random, options, owner: this.#closing.signal });
  }

  /** @returns pending input in manual mode alone, as `T` has to say; the rest of it is what the method's results are */
  async #finished<T>(asking: Asking): Promise<T> {
    const { method, params, options } = asking;
    const result = await this.#ask(asking);
    if (isPending(result, options)) return result as T; // By contract, as below.
    complete(method, result);
    const member = MAY_ASK.get(method);
    if (member === undefined) return result as T;
    const listed = result[member];
    if (!Array.isArray(listed)) throw malformed(method);
    const issues = method === "tools/call" ? this.#tools.check(String(params["name"]), result) : undefined;
    return { ...result, [member]: listed.map(withSafeLinks), ...(issues && { issues }) } as T;
  }
}

function isPending(result: JsonObject | PendingInput, { input }: CallOptions): result is PendingInput {
  return input === "manual" && isPendingInput(result);
}

/** MUST — basic/index#resulttype: nothing counts as complete, and what is not known is invalid. */
function complete(method: string, result: JsonObject): JsonObject {
  const type = result["resultType"];
  if (type !== undefined && type !== "complete") throw malformed(method);
  return result;
}

function malformed(method: string): McpError {
  return new McpError("invalid_response", `The result of ${clip(method)} is malformed or of an unknown type`);
}
