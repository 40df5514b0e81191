import { describe, expect, test } from "vitest";
import type { FetchHandlerOptions } from "../../src/core.ts";
import { post } from "../kit/post.ts";
import { type Served, serverWith, STATE_KEY } from "../kit/serve.ts";
import { errorOf, resultOf, textOf, type WireReply } from "../kit/wire.ts";

interface Env {
  readonly KEY?: string;
  readonly OLD_KEY?: string;
}

function asker(options: FetchHandlerOptions<Env>): Served<Env> {
  return serverWith<Env>((server) => {
    server.tool("ask", {}, async (_args, ctx) => {
      const { content } = await ctx.elicit("name", {
        message: "Who?",
        schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      });
      return content?.name ?? "nobody";
    });
    server.tool("plain", {}, () => "fine");
  }, options);
}

const CAPABILITIES = { elicitation: {} };

function ask(handler: Served<Env>, env: Env, path = "/mcp"): Promise<WireReply> {
  return post(
    handler,
    "tools/call",
    { name: "ask" },
    { capabilities: CAPABILITIES, env, url: `http://mcp.test${path}` },
  );
}

function answer(handler: Served<Env>, env: Env, asked: WireReply, path = "/mcp"): Promise<WireReply> {
  const { requestState } = resultOf(asked);
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  return post(
    handler,
    "tools/call",
    { name: "ask", requestState, inputResponses },
    { capabilities: CAPABILITIES, env, url: `http://mcp.test${path}` },
  );
}

describe("state keys from the environment", () => {
  test("are read anew for each env, and an entry that is not there is left out", async () => {
    const handler = asker({ stateKeys: ({ KEY, OLD_KEY }) => [KEY, OLD_KEY] });
    const asked = await ask(handler, { KEY: STATE_KEY });
    expect(textOf(await answer(handler, { KEY: STATE_KEY }, asked))).toBe("Ada");
    expect(textOf(await answer(handler, { KEY: "01".repeat(32), OLD_KEY: STATE_KEY }, asked))).toBe("Ada");
    expect(errorOf(await answer(handler, { KEY: "01".repeat(32) }, asked)).code).toBe(-32602);
    expect(handler.warnings).toEqual([]);
  });

  test("that are missing are made up once for the instance, whatever env comes with a request", async () => {
    const handler = asker({ stateKeys: ({ KEY }) => [KEY] });
    const asked = await ask(handler, {});
    expect(textOf(await answer(handler, {}, asked))).toBe("Ada");
    expect(handler.warnings).toHaveLength(1);
  });

  test("that are malformed fail the calls that need them, with their id, and no others", async () => {
    const handler = asker({ stateKeys: () => ["too short"] });
    const asked = await ask(handler, {});
    expect(asked.status).toBe(200);
    expect(asked.message).toMatchObject({ id: 1 });
    expect(JSON.stringify(asked.message)).not.toContain("too short");
    expect(handler.errors).toEqual([expect.objectContaining({ message: expect.stringContaining("stateKeys[0]") })]);
    expect(textOf(await post(handler, "tools/call", { name: "plain" }, { env: {} }))).toBe("fine");
  });
});

test("a state is good at the endpoint that handed it out, and at no other", async () => {
  const here = asker({ stateKeys: [STATE_KEY] });
  const there = asker({ stateKeys: [STATE_KEY], path: "/other" });
  const asked = await ask(here, {});
  expect(textOf(await answer(here, {}, asked))).toBe("Ada");
  expect(errorOf(await answer(there, {}, asked, "/other")).code).toBe(-32602);
});
