/**
 * Requests for JSON documents from peers that nobody vouches for: bounded in time and size, and never redirected to
 * another origin.
 */
import { McpError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/types.ts";
import { parseUrl } from "./endpoint-url.ts";
import { orAbort } from "./or-abort.ts";

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

const MAX_REDIRECTS = 3;

/** @throws {McpError} `timeout`, `aborted`, `connection_failed`, `too_large`, `redirect_refused` */
export async function requestJson(http: OAuthHttp, request: JsonRequest): Promise<JsonReply> {
  const deadline = AbortSignal.timeout(http.timeoutMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  try {
    const response = await follow(http, request, signal);
    const text = await readText(response, http.maxBytes, signal);
    return { status: response.status, headers: response.headers, json: parseObject(text) };
  } catch (error) {
    const { host } = request.url;
    if (request.signal?.aborted === true) throw new McpError("aborted", "Authorization was given up", { cause: error });
    if (error instanceof McpError && error.code !== "aborted") throw error;
    if (deadline.aborted) throw new McpError("timeout", `No answer in time from ${host}`, { cause: error });
    throw new McpError("connection_failed", `Cannot reach ${host}`, { cause: error });
  }
}

async function follow({ fetch }: OAuthHttp, request: JsonRequest, signal: AbortSignal): Promise<Response> {
  const { body } = request;
  let { url } = request;
  for (let hop = 0; ; hop++) {
    const init: RequestInit = {
      method: body === undefined ? "GET" : "POST",
      headers: { accept: "application/json", ...request.headers },
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    };
    // A `fetch` that was passed in may not heed its signal.
    const response = await orAbort(fetch(url.href, init), signal);
    // Browsers hide where a manual redirect leads, and show its status as 0.
    const isRedirect = response.status === 0 || (response.status >= 300 && response.status < 400);
    if (!isRedirect) return response;
    discard(response);
    const target = parseUrl(response.headers.get("location") ?? "", url.href);
    // What is posted here are secrets: they go where they were addressed, or nowhere.
    if (body !== undefined || target?.origin !== url.origin || hop === MAX_REDIRECTS) {
      throw new McpError("redirect_refused", `Refused a redirect from ${url.host}`);
    }
    url = target;
  }
}

async function readText(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await orAbort(reader.read(), signal);
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > maxBytes) throw new McpError("too_large", `An answer exceeds ${maxBytes} bytes`);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    reader.cancel().catch(() => undefined); // the first error is the one to report
    throw error;
  }
}

/** Lets the connection go. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined); // it may have ended already
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // An object that JSON.parse made, and no array.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined; // not JSON: the caller says what it misses
  }
}
