/**
 * A client of the Worker under test, through the front door: its default export, as the runtime calls it.
 */
import { env as bindings, exports } from "cloudflare:workers";
import type { Env } from "../../src/pinboard/env.ts";
import { encodeHeader, type Fetcher, post, type PostOptions } from "../kit/post.ts";
import type { WireError, WireNotification, WireObject } from "../kit/wire.ts";

/** The main module of wrangler.toml; the generic type does not know what that exports. */
export const worker = (exports as unknown as { default: Fetcher }).default;

/** At least one. */
type Some<T> = readonly [T, ...T[]];

/** The members of results that tests look into. Each test knows which of them its request brings. */
interface Result {
  readonly resultType: string;
  readonly content: Some<{ readonly text: string; readonly data: string }>;
  readonly structuredContent: { readonly characters: number; readonly oldest: string; readonly newest: string };
  readonly isError: boolean;
  readonly requestState: string;
  readonly inputRequests: { readonly confirm: { readonly params: { readonly message: string } } };
  readonly resources: Some<{ readonly uri: string }>;
  readonly tools: readonly { readonly name: string }[];
  readonly contents: readonly WireObject[];
  readonly messages: readonly [PromptMessage, PromptMessage];
  readonly completion: { readonly values: readonly string[] };
  readonly capabilities: WireObject;
  readonly instructions: string;
  readonly ttlMs: number;
}

interface PromptMessage {
  readonly content: { readonly text: string; readonly resource: { readonly text: string } };
}

export interface Reply {
  readonly status: number;
  readonly result: Result;
  readonly error: WireError | undefined;
  readonly notifications: readonly WireNotification[];
}

export async function request(method: string, params: WireObject = {}, options: PostOptions = {}): Promise<Reply> {
  const { status, message, notifications } = await post(worker, method, params, options);
  // Absent when there is an error; then a test that looks into it fails, as it should.
  return { status, result: message?.result as unknown as Result, error: message?.error, notifications };
}

/** What a retry adds to the call it repeats. */
export interface Retry {
  readonly inputResponses: WireObject;
  readonly requestState: string;
}

export function callTool(name: string, args: WireObject, options: PostOptions = {}, retry?: Retry): Promise<Reply> {
  const mirrored = name === "search_notes" ? { "mcp-param-board": encodeHeader(String(args["board"])) } : {};
  const headers = { ...mirrored, ...options.headers };
  return request("tools/call", { name, arguments: args, ...retry }, { ...options, headers });
}

/** The text of a tool's first block, whether the tool succeeded or not. */
export function textOf({ result, error }: Reply): string {
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
  return result.content[0].text;
}

/** Pins notes, oldest first. */
export async function pin(board: string, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const reply = textOf(await callTool("add_note", { board, text }));
    if (!reply.startsWith("Pinned")) throw new Error(reply);
  }
}

/** The bindings of wrangler.toml, which the generic type does not know. */
export const env = bindings as unknown as Env;
