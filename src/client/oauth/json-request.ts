/**
 * Requests for JSON documents from peers that nobody vouches for: bounded in time and size, and never redirected to
 * another origin.
 */
import { clip, McpError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { parsed } from "../../protocol/json-text.ts";
import type { JsonObject } from "../../protocol/types.ts";
import { followed, patienceOf, type Sender } from "../http-request.ts";
import { readText } from "../message-stream.ts";

export interface OAuthHttp {
  readonly fetch: typeof fetch;
  /** For a request from its start to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Of an answer. */
  readonly maxBytes: number;
}

export interface JsonRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface JsonReply {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined unless the body is a JSON object. */
  readonly json: JsonObject | undefined;
}

/** @throws {McpError} `timeout`, `aborted`, `connection_failed`, `too_large`, `redirect_refused` */
export async function requestJson(http: OAuthHttp, request: JsonRequest): Promise<JsonReply> {
  const deadline = AbortSignal.timeout(http.timeoutMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  const { href: url } = request.url;
  const host = clip(request.url.host);
  const { body } = request;
  const outgoing = {
    method: body === undefined ? "GET" : "POST",
    url,
    headers: { accept: "application/json", ...request.headers },
    body,
    // What is posted here are secrets: they go where they were addressed, or nowhere.
    ...(body !== undefined && { redirects: 0 }),
  } as const;
  try {
    const { response } = await followed(senderOf(http), outgoing, patienceOf(signal));
    const { status, headers } = response;
    const json = parsed(await readText(response, http.maxBytes, { signal, decoder: new TextDecoder() }));
    return { status, headers, json: isObject(json) ? json : undefined };
  } catch (error) {
    if (request.signal?.aborted === true) throw new McpError("aborted", "Authorization was given up", { cause: error });
    if (deadline.aborted) throw new McpError("timeout", `No answer in time from ${host}`, { cause: error });
    const known = error instanceof McpError && PASSED_ON.has(error.code);
    throw known ? error : new McpError("connection_failed", `Cannot reach ${host}`, { cause: error });
  }
}

/** The rest is about what became of the connection. */
const PASSED_ON: ReadonlySet<string> = new Set(["too_large", "redirect_refused"]);

/** Anonymous. */
function senderOf({ fetch }: OAuthHttp): Sender {
  return { fetch, headers: {}, auth: undefined, signIns: { underWay: 0, failure: undefined }, now: Date.now };
}
