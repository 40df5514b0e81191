/**
 * What an author writes to register a tool, a resource or a prompt, and what their handlers may return.
 *
 * Descriptive fields go onto the wire as they are; everything else stays on the server.
 *
 * @see spec 2026-07-28 server/tools#tool, server/resources#resource, server/prompts#prompt
 */
import type {
  Annotations,
  CacheScope,
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Icon,
  InputRequest,
  JsonObject,
  PromptArgument,
  PromptMessage,
  ReadResourceResult,
  ResourceContents,
  ToolAnnotations,
} from "../protocol/types.ts";
import type { JsonSchema } from "../schema/engine.ts";
import type { InferArguments, InferInput, KeepLiterals } from "../schema/infer.ts";
import type { StandardJsonSchemaV1 } from "../schema/standard-schema.ts";
import type { RequestContext } from "./context.ts";
import type { Caller } from "./exchange.ts";

export type Awaitable<T> = T | Promise<T>;
/** A JSON Schema literal, or a schema of zod, valibot, arktype or another Standard Schema with JSON Schema output. */
export type AnySchema = JsonSchema | StandardJsonSchemaV1;

interface Described {
  /** A name for people. */
  title?: string;
  description?: string;
  icons?: Icon[];
  _meta?: JsonObject;
}

/**
 * Who may see and use an entry, decided for each request. To everyone else it does not exist. A list with such entries
 * is sent as `private`.
 */
interface Restricted<Env> {
  visibleTo?: (caller: Caller<Env>) => boolean;
}

/** An interim result made by hand: the call ends here and the client retries it with answers. */
export interface InterimResult {
  resultType: "input_required";
  inputRequests?: Record<string, InputRequest>;
  /** Any JSON value, sealed on the way out; the retry finds it in `ctx.requestState`. */
  requestState?: unknown;
}

export interface ToolDefinition<
  I extends AnySchema | undefined = AnySchema | undefined,
  O extends AnySchema | undefined = AnySchema | undefined,
  Env = unknown,
>
  extends Described, Restricted<Env> {
  /** The root must be of type `object`. Without one, the tool takes no arguments. */
  inputSchema?: I;
  /** Any schema. Successful results are checked against it. */
  outputSchema?: O;
  annotations?: ToolAnnotations;
}

/** A complete result. `T` is the type of `structuredContent` that the tool's `outputSchema` calls for. */
export interface ToolResult<T = unknown> extends Omit<CallToolResult, "structuredContent"> {
  structuredContent?: T;
}

/**
 * A string or content becomes `content`. A value for `outputSchema` becomes `structuredContent`, with its JSON as a text
 * block beside it. A complete result is sent as it is.
 *
 * A union at the outer level on purpose: TypeScript checks a handler's body while `O` is still open, and keeps literals
 * in it only then.
 */
export type ToolReturn<O> =
  | ([O] extends [undefined]
      ? // oxlint-disable-next-line typescript/no-invalid-void-type -- a handler without a result has no `return`.
        string | ContentBlock | ContentBlock[] | void
      : InferInput<O>)
  | ToolResult<[O] extends [undefined] ? unknown : InferInput<O>>
  | InterimResult
  | KeepLiterals<O>;

export type ToolHandler<I = AnySchema | undefined, O = AnySchema | undefined, Env = unknown> = (
  args: InferArguments<I>,
  ctx: RequestContext<Env>,
) => Awaitable<ToolReturn<O>>;

/** Suggestions for one argument, best first; more than 100 are cut. */
export type Completer<Env = unknown> = (
  value: string,
  /** Arguments the person has settled already. */
  context: { readonly arguments: Readonly<Record<string, string>> },
  ctx: RequestContext<Env>,
) => Awaitable<readonly string[] | { values: readonly string[]; total?: number; hasMore?: boolean }>;

export interface ResourceDefinition<Env = unknown> extends Described, Restricted<Env> {
  name: string;
  mimeType?: string;
  annotations?: Annotations;
  /** Bytes, of a resource that is not a template. */
  size?: number;
  /** How long a client may keep what it read, in milliseconds. Default 0. */
  ttlMs?: number;
  /** Default `private`. */
  cacheScope?: CacheScope;
  /** Completers by variable name, of a template. */
  complete?: Readonly<Record<string, Completer<Env>>>;
}

/** Text, bytes, one content or several, or the whole result. `undefined` and `null` mean "no such resource". */
export type ResourceReturn =
  | string
  | Uint8Array
  | ArrayBuffer
  | ResourceContents
  | ResourceContents[]
  | ReadResourceResult
  | InterimResult
  | undefined
  | null;

export type ResourceReader<V, Env = unknown> = (
  uri: string,
  variables: V,
  ctx: RequestContext<Env>,
) => Awaitable<ResourceReturn>;

export interface PromptDefinition<A extends readonly PromptArgumentDefinition<Env>[], Env = unknown>
  extends Described, Restricted<Env> {
  arguments?: A;
}

export interface PromptArgumentDefinition<Env = unknown> extends PromptArgument {
  complete?: Completer<Env>;
}

/** `{ name: string; style?: string }` from `[{ name: "name", required: true }, { name: "style" }]`. */
export type PromptArguments<A extends readonly PromptArgument[]> = {
  [P in A[number] as P extends { required: true } ? P["name"] : never]: string;
} & {
  [P in A[number] as P extends { required: true } ? never : P["name"]]?: string;
};

/** A string becomes one message from the user. */
export type PromptReturn = string | PromptMessage | PromptMessage[] | GetPromptResult | InterimResult;

export type PromptHandler<Args, Env = unknown> = (args: Args, ctx: RequestContext<Env>) => Awaitable<PromptReturn>;

/** A tool that exists for one caller. Its schema is judged when it is first seen, by the engine for late schemas. */
export interface DynamicTool<Env = unknown> extends ToolDefinition<
  JsonSchema | undefined,
  JsonSchema | undefined,
  Env
> {
  name: string;
  handler: (args: JsonObject, ctx: RequestContext<Env>) => Awaitable<ToolReturn<undefined> | JsonObject | unknown[]>;
}

/** A resource that exists for one caller. Without `read`, reading its URI is left to the registered templates. */
export interface DynamicResource<Env = unknown> extends ResourceDefinition<Env> {
  uri: string;
  read?: (uri: string, ctx: RequestContext<Env>) => Awaitable<ResourceReturn>;
}

/**
 * Entries that depend on the caller, looked up for each request. What is registered stays as it is and wins over a
 * provided entry of the same name.
 */
export interface Provider<Env = unknown> {
  tools?(caller: Caller<Env>): Awaitable<readonly DynamicTool<Env>[]>;
  /** A shortcut for calls, where finding one tool is cheaper than listing all. */
  tool?(name: string, caller: Caller<Env>): Awaitable<DynamicTool<Env> | undefined>;
  resources?(caller: Caller<Env>): Awaitable<readonly DynamicResource<Env>[]>;
  /** A shortcut for reads. */
  resource?(uri: string, caller: Caller<Env>): Awaitable<DynamicResource<Env> | undefined>;
}
