/** The loop between a model and tools, and the names that tools go by in it. */
import { array, assert, asyncProperty, boolean, constantFrom, property, record, string } from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/client.ts";
import { converse, type Host, MAX_ROUNDS, resultText } from "../../web/chat/conversation.ts";
import type { ModelCall, Reply } from "../../web/chat/model.ts";
import { offer } from "../../web/chat/toolbox.ts";

const reply = (text: string, ...calls: ModelCall[]): Reply => ({
  text,
  calls,
  message: { role: "assistant", text, calls: calls.map(({ id }) => id) },
});
const never = new AbortController().signal;
const host = (parts: Partial<Host>): Host => ({
  ask: () => Promise.resolve(reply("done")),
  show: () => {},
  call: () => Promise.resolve({ content: [] }),
  answer: (outcomes) => [
    { role: "results", ids: outcomes.map(({ id }) => id), texts: outcomes.map(({ text }) => text) },
  ],
  ...parts,
});

test("every call that a model was told of has its outcome, whatever happens to it", async () => {
  const what = constantFrom("works", "fails", "stopped");
  await assert(
    asyncProperty(array(array(what, { maxLength: 3 }), { maxLength: 4 }), async (rounds) => {
      const stopping = new AbortController();
      const replies = rounds.map((kinds, round) =>
        reply("t", ...kinds.map((kind, index) => ({ id: `${round}.${index}`, name: kind, args: {} }))),
      );
      const messages: JsonObject[] = [];
      const talk = converse(
        messages,
        host({
          ask: () => Promise.resolve(replies.shift() ?? reply("done")),
          async call({ name }) {
            if (name === "stopped") stopping.abort();
            stopping.signal.throwIfAborted();
            if (name === "fails") throw new Error("no");
            return { content: [{ type: "text", text: "ok" }] };
          },
        }),
        stopping.signal,
      );
      await talk.catch(() => undefined);
      for (const [index, { role, calls }] of messages.entries()) {
        if (role !== "assistant" || (calls as string[]).length === 0) continue;
        expect(messages[index + 1]).toMatchObject({ role: "results", ids: calls });
      }
    }),
  );
});

test("a call that fails is told as what it failed with", async () => {
  const replies = [reply("", { id: "1", name: "t", args: {} })];
  const messages: JsonObject[] = [];
  const ask = (): Promise<Reply> => Promise.resolve(replies.shift() ?? reply("done"));
  await converse(messages, host({ ask, call: () => Promise.reject(new Error("no")) }), never);
  expect(messages[1]).toMatchObject({ texts: ["Error: no"] });
});

test("a model that goes on and on is stopped, and may go on from there", async () => {
  let asked = 0;
  const messages: JsonObject[] = [];
  const endless = host({ ask: () => Promise.resolve(reply("", { id: String(asked++), name: "t", args: {} })) });
  await expect(converse(messages, endless, never)).rejects.toThrow("20 rounds");
  expect(asked).toBe(MAX_ROUNDS);
  await expect(converse(messages, endless, never)).rejects.toThrow("20 rounds");
  expect(asked).toBe(2 * MAX_ROUNDS);
  expect(messages).toHaveLength(4 * MAX_ROUNDS);
});

test("a request that fails leaves what was said, to be tried again", async () => {
  const messages: JsonObject[] = [{ role: "user", content: "hello" }];
  const down = host({ ask: () => Promise.reject(new Error("down")) });
  await expect(converse(messages, down, never)).rejects.toThrow("down");
  expect(messages).toHaveLength(1);
  await converse(messages, host({}), never);
  expect(messages).toHaveLength(2);
});

test("a result goes to the model as text, without the data of pictures, bounded, and a failure as one", () => {
  const png = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const text = { type: "text", text: "x".repeat(200_000) } as const;
  expect(resultText({ content: [png] })).toBe('{"type":"image","mimeType":"image/png"}');
  expect(resultText({ content: [text] }).length).toBeLessThan(101_000);
  expect(resultText({ content: [{ type: "text", text: "no" }], isError: true })).toBe("Error: no");
  expect(resultText({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
});

test("whatever tools are called, their names fit both APIs, differ, and lead back", () => {
  const tool = record({ name: string({ maxLength: 90 }), inputSchema: record({}) });
  const source = record({ name: string({ maxLength: 40 }), tools: array(tool, { maxLength: 6 }) });
  assert(
    property(array(source, { maxLength: 4 }), boolean(), (sources, twice) => {
      const all = twice ? [...sources, ...sources] : sources;
      const offered = offer(all);
      expect(offered.size).toBe(all.reduce((sum, { tools }) => sum + tools.length, 0));
      for (const [name, { source: from, tool: back, told }] of offered) {
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(from.tools).toContain(back);
        expect(told.name).toBe(name);
        expect(told.schema["type"]).toBe("object");
      }
    }),
  );
});

test("tools of one server keep their names", () => {
  expect([...offer([{ name: "s", tools: [{ name: "add_note", inputSchema: {} }] }]).keys()]).toEqual(["add_note"]);
});
