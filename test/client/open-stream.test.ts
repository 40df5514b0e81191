/** One stream of change notifications, as the modern session opens it. */
import { describe, expect, test } from "vitest";
import { connectionOf, type McpClientOptions } from "../../src/client/client-options.ts";
import { createHttpSession } from "../../src/client/http-session.ts";
import type { Session, StreamEnd } from "../../src/client/session.ts";
import { codeOf, error, event, json, type Sent, stream, URL_UNDER_TEST } from "./fake-fetch.ts";

const FILTER = { toolsListChanged: true, resourceSubscriptions: ["note://a"] };

/** What is told of a stream that is answered so, and how it ends. */
function open(
  answer: (sent: Pick<Sent, "id">) => Response,
  options: Partial<McpClientOptions> = {},
): {
  session: Session;
  told: unknown[];
  bodies: unknown[];
  ended: Promise<StreamEnd>;
  close: () => void;
} {
  const told: unknown[] = [];
  const bodies: unknown[] = [];
  const owner = new AbortController();
  const fake: typeof fetch = (_input, init) => {
    const body = JSON.parse(init?.body as string) as Sent; // What the session sends is JSON text.
    bodies.push(body);
    return Promise.resolve(answer(body));
  };
  const info = { name: "under-test", version: "1.0.0" };
  const session = createHttpSession(connectionOf(URL_UNDER_TEST, { info, fetch: fake, ...options }));
  const sink = {
    acknowledged: (granted: unknown) => void told.push(granted),
    notified: (method: string, params: unknown) => void told.push([method, params]),
  };
  return { session, told, bodies, ended: session.openStream(FILTER, sink, owner.signal), close: () => owner.abort() };
}

const note = (id: unknown, method: string, params: Record<string, unknown> = {}): string =>
  event({
    jsonrpc: "2.0",
    method: `notifications/${method}`,
    params: { ...params, _meta: { "io.modelcontextprotocol/subscriptionId": id } },
  });
const granted = { toolsListChanged: true };
const ack = (id: unknown): string => note(id, "subscriptions/acknowledged", { notifications: granted });
const changed = (id: unknown): string => note(id, "tools/list_changed");
const done = (id: number): string => event({ jsonrpc: "2.0", id, result: { resultType: "complete" } });
const methodsOf = (told: readonly unknown[]): unknown[] =>
  told.map((it) => (Array.isArray(it) ? (it as unknown[])[0] : it));

test("the filter is what is asked for, without a token for progress", async () => {
  const { bodies, ended } = open(({ id }) => stream([ack(id), done(id)]));
  await ended;
  expect(bodies).toMatchObject([{ method: "subscriptions/listen", params: { notifications: FILTER } }]);
});

test("the sink hears what was granted, and then each change", async () => {
  const { told, ended } = open(({ id }) => stream([ack(id), ":\n\n", changed(id), changed(id), done(id)]));
  expect(await ended).toEqual({ how: "graceful" });
  expect(methodsOf(told)).toEqual([granted, "notifications/tools/list_changed", "notifications/tools/list_changed"]);
});

test("it hears nothing that came before the acknowledgment, of another subscription, or of none", async () => {
  const { told, ended } = open(({ id }) =>
    stream([
      changed(id),
      ack(id + 1),
      ack(String(id)),
      ack(id),
      changed(id + 1),
      event({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} }),
      event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }),
      ack(id),
      done(id),
    ]),
  );
  await ended;
  expect(told).toEqual([granted]);
});

describe("an end", () => {
  test.each(["close", "break"] as const)("without the response (%s) is a break", async (end) => {
    const { ended } = open(({ id }) => stream([ack(id)], end));
    expect(await ended).toMatchObject({ how: "broken", error: { code: "stream_ended" } });
  });

  test("by its owner, or with the session, is a close", async () => {
    const one = open(({ id }) => stream([ack(id)], "open"));
    one.close();
    expect(await one.ended).toEqual({ how: "closed" });
    const other = open(({ id }) => stream([ack(id)], "open"));
    await other.session.close();
    expect(await other.ended).toEqual({ how: "closed" });
  });

  test("by a message that is too large is a break", async () => {
    const { ended } = open(({ id }) => stream([ack(id), `data: ${"x".repeat(17_000_000)}\n\n`], "open"));
    expect(await ended).toMatchObject({ how: "broken", error: { code: "too_large" } });
  });
});

describe("what could not be opened rejects", () => {
  test.each<[string, (sent: Pick<Sent, "id">) => Response, string | number]>([
    ["refused", (sent) => error(sent, -32601, { status: 404 }), -32601],
    ["not there", () => new Response("", { status: 503 }), "http_error"],
    ["ended before it was granted", () => stream([]), "stream_ended"],
    ["done before it was granted", ({ id }) => stream([done(id)]), "invalid_response"],
    ["answered by no stream", ({ id }) => json({ jsonrpc: "2.0", id, result: {} }), "invalid_response"],
  ])("when it is %s", async (_name, answer, code) => {
    expect(await codeOf(open(answer).ended)).toBe(code);
  });
});

const many = ({ id }: Pick<Sent, "id">) =>
  stream([ack(id), ...Array.from({ length: 50 }, () => changed(id)), done(id)]);

test("much more may come on it in all than on the stream of a call", async () => {
  const limits = { maxStreamBytes: 1_000, maxMessageBytes: 1_000 };
  const { told, ended } = open(many, { limits });
  expect(await ended).toEqual({ how: "graceful" });
  expect(told).toHaveLength(51);
});
