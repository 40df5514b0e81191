/**
 * Resources: registration of fixed URIs and templates, and `resources/read`.
 *
 * @see spec 2026-07-28 server/resources
 */
import { encodeBase64 } from "../protocol/base64.ts";
import { clip, invalidParams, type ProtocolError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { JsonObject, ReadResourceResult } from "../protocol/types.ts";
import type { RequestContext } from "./context.ts";
import { isContents } from "./content.ts";
import type { Completer, ResourceDefinition } from "./definitions.ts";
import { RESOURCE, toWire } from "./described.ts";
import type { Caller, Exchange } from "./exchange.ts";
import { internalError } from "./internal-error.ts";
import type { ResultWriter } from "./result-writer.ts";
import { runHandler } from "./rounds.ts";
import { parseUriTemplate, type UriTemplate } from "./uri-template.ts";

export interface Resource<Env = unknown> {
  /** The URI, or the template's text. */
  readonly key: string;
  readonly template: UriTemplate | undefined;
  /** The definition as the lists show it. */
  readonly wire: JsonObject;
  readonly mimeType: string | undefined;
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
  readonly visibleTo: ((caller: Caller<Env>) => boolean) | undefined;
  readonly complete: Readonly<Record<string, Completer<Env>>>;
  readonly read: (uri: string, variables: Variables, ctx: RequestContext<Env>) => unknown;
}

export type Variables = Record<string, string | string[]>;

/** @throws {TypeError} naming the resource and the field */
export function compileResource<Env>(
  uri: string,
  definition: ResourceDefinition<Env>,
  read: (uri: string, variables: never, ctx: RequestContext<Env>) => unknown,
): Resource<Env> {
  const where = `resource ${JSON.stringify(uri)}`;
  if (typeof read !== "function") throw new TypeError(`${where}: the reader must be a function`);
  const { ttlMs = 0, cacheScope = "private", complete = {}, visibleTo, ...described } = definition;
  if (!Number.isInteger(ttlMs) || ttlMs < 0) throw new TypeError(`${where}: ttlMs must be an integer of 0 or more`);
  // RFC 3986 allows no braces in a URI, so they tell a template.
  const template = /[{}]/.test(uri) ? parseTemplate(where, uri) : undefined;
  if (template === undefined && !(URL.canParse(uri) && uri.isWellFormed()))
    throw new TypeError(`${where}: not an absolute URI`);
  for (const name of Object.keys(complete)) {
    if (template?.variables.includes(name) !== true)
      throw new TypeError(`${where}: complete.${name}: no such variable`);
  }
  return {
    key: uri,
    template,
    wire: toWire(where, template === undefined ? { uri, ...described } : { uriTemplate: uri, ...described }, RESOURCE),
    mimeType: definition.mimeType,
    ttlMs,
    cacheScope,
    visibleTo,
    complete,
    // The template's match produces what the author's type says of its variables.
    read: read as (uri: string, variables: Variables, ctx: RequestContext<Env>) => unknown,
  };
}

function parseTemplate(where: string, uri: string): UriTemplate {
  try {
    return parseUriTemplate(uri);
  } catch (cause) {
    throw new TypeError(`${where}: ${cause instanceof Error ? cause.message : "not a URI template"}`, { cause });
  }
}

/** MUST — server/resources#error-handling: −32602, with the URI in the data. */
export function resourceNotFound(uri: string): ProtocolError {
  return invalidParams("Resource not found", { uri: clip(uri) });
}

/** @returns the result as JSON text. @throws {ProtocolError} */
export async function readResource<Env>(
  resource: Resource<Env>,
  uri: string,
  variables: Variables,
  exchange: Exchange<Env>,
  writer: ResultWriter,
): Promise<string> {
  const ran = await runHandler(exchange, { target: uri, args: {} }, writer, (ctx) =>
    resource.read(uri, variables, ctx),
  );
  if (ran.interim !== undefined) return ran.interim;
  if (ran.value === undefined || ran.value === null) throw resourceNotFound(uri);
  const result = toReadResult(ran.value, uri, resource.mimeType);
  if (result === undefined)
    throw internalError(exchange, new TypeError(`resource ${resource.key}: returned no contents`));
  // MUST NOT — server/resources#error-handling: an empty array for something that does not exist.
  if (result.contents.length === 0) throw resourceNotFound(uri);
  return writer.result({ ...result, ...(isRetry(exchange) ? NOT_CACHEABLE : hintsFor(resource, result)) });
}

/** MUST — server/utilities/caching: both hints on every result. What is no lifetime, such as one that has run out, is none. */
function hintsFor(resource: Resource<never>, result: ReadResourceResult): CacheHints {
  const { ttlMs = resource.ttlMs, cacheScope = resource.cacheScope } = result;
  return {
    ttlMs: Number.isSafeInteger(ttlMs) && ttlMs >= 0 ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private",
  };
}

type CacheHints = Required<Pick<ReadResourceResult, "ttlMs" | "cacheScope">>;
const NOT_CACHEABLE: CacheHints = { ttlMs: 0, cacheScope: "private" };

/** Results of a retry depend on inputs that are not part of the cache key, so nobody should keep them. */
function isRetry({ params }: Exchange): boolean {
  return params["inputResponses"] !== undefined || params["requestState"] !== undefined;
}

function toReadResult(value: unknown, uri: string, mimeType: string | undefined): ReadResourceResult | undefined {
  const common = mimeType === undefined ? { uri } : { uri, mimeType };
  if (typeof value === "string") return { contents: [{ ...common, text: value }] };
  if (value instanceof Uint8Array) return { contents: [{ ...common, blob: encodeBase64(value) }] };
  if (value instanceof ArrayBuffer) return { contents: [{ ...common, blob: encodeBase64(new Uint8Array(value)) }] };
  if (isContents(value)) return { contents: [value] };
  if (Array.isArray(value)) return value.every(isContents) ? { contents: value } : undefined;
  if (!isObject(value) || !Array.isArray(value["contents"]) || !value["contents"].every(isContents)) return undefined;
  return value as unknown as ReadResourceResult; // Its contents were just checked; the other members are optional.
}
