/** Multi round-trip calls: a tool `t` that asks, and a client that answers. */
import { expect } from "vitest";
import type { RequestContext } from "../../src/core.ts";
import { post, type PostOptions } from "./post.ts";
import { type Served, serverWith } from "./serve.ts";
import { resultOf, type WireObject, type WireReply } from "./wire.ts";

/** Every capability that a question may need. */
export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

/** A server with the tool `t`, which takes no arguments and returns what `run` does, as JSON. */
export function asking(run: (ctx: RequestContext) => unknown): Served<unknown> {
  return serverWith((server) =>
    server.tool("t", {}, async (_args, ctx) => JSON.stringify(await run(ctx)) ?? "undefined"),
  );
}

/** Calls `t`; with `from`, as the retry that answers that reply. */
export function ask(
  handler: Served<unknown>,
  inputResponses?: unknown,
  from?: WireReply,
  options: PostOptions = {},
): Promise<WireReply> {
  const requestState = from === undefined ? undefined : resultOf(from)["requestState"];
  return post(
    handler,
    "tools/call",
    { name: "t", inputResponses, requestState },
    { capabilities: EVERYTHING, ...options },
  );
}

/** The `inputRequests` of an interim result. */
export function questionsOf(reply: WireReply): WireObject {
  const { resultType, inputRequests } = resultOf(reply);
  expect(resultType).toBe("input_required");
  return inputRequests as WireObject; // Each test says what should be in it.
}
