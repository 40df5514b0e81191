/** The loop between a model and tools, and the names that tools go by in it. */
import { array, assert, asyncProperty, boolean, constantFrom, property, record, string } from "fast-check";
import { expect, test } from "vitest";
import { Conversation, MAX_ROUNDS, outcomeOf } from "../../web/chat/conversation.ts";
import type { CallOutcome, ModelCall, Reply } from "../../web/chat/model.ts";
import { offer } from "../../web/chat/toolbox.ts";

const reply = (text: string, ...calls: ModelCall[]): Reply => ({
  text,
  calls,
  cut: false,
  usage: undefined,
  message: text,
});
const never = new AbortController().signal;

test("every call that a model was told of has its outcome, whatever happens to it", async () => {
  const what = constantFrom("works", "fails", "declined", "unknown", "no object", "stopped");
  await assert(
    asyncProperty(array(array(what, { maxLength: 3 }), { maxLength: 4 }), async (rounds) => {
      const stopping = new AbortController();
      const replies = rounds.map((kinds, round) =>
        reply(
          "t",
          ...kinds.map((kind, index) => ({ id: `${round}.${index}`, name: kind, args: kind === "no object" ? 7 : {} })),
        ),
      );
      const conversation = new Conversation({
        ask: () => Promise.resolve(replies.shift() ?? reply("done")),
        knows: (name) => name !== "unknown",
        async call({ name }) {
          if (name === "stopped") stopping.abort();
          if (name === "fails" || name === "stopped") throw new Error("no");
          return name === "declined" ? undefined : { content: [{ type: "text", text: "ok" }] };
        },
        onReply: () => {},
        onOutcome: () => {},
      });
      await conversation.run(stopping.signal).catch(() => undefined);
      for (const [index, turn] of conversation.turns.entries()) {
        if (turn.role !== "assistant" || turn.reply.calls.length === 0) continue;
        const next = conversation.turns[index + 1];
        const outcomes: readonly CallOutcome[] = next?.role === "results" ? next.outcomes : [];
        expect(outcomes.map(({ id }) => id)).toEqual(turn.reply.calls.map(({ id }) => id));
      }
    }),
  );
});

test("a model that goes on and on is stopped, and may go on from there", async () => {
  let asked = 0;
  const conversation = new Conversation({
    ask: () => Promise.resolve(reply("", { id: String(asked++), name: "t", args: {} })),
    knows: () => true,
    call: () => Promise.resolve({ content: [] }),
    onReply: () => {},
    onOutcome: () => {},
  });
  expect(await conversation.run(never)).toBe(false);
  expect(asked).toBe(MAX_ROUNDS);
  expect(await conversation.run(never)).toBe(false);
  expect(asked).toBe(2 * MAX_ROUNDS);
});

test("a request that fails leaves what was said, to be tried again", async () => {
  let fails = true;
  const conversation = new Conversation({
    ask: () => (fails ? Promise.reject(new Error("down")) : Promise.resolve(reply("here"))),
    knows: () => true,
    call: () => Promise.resolve(undefined),
    onReply: () => {},
    onOutcome: () => {},
  });
  conversation.turns.push({ role: "user", text: "hello" });
  await expect(conversation.run(never)).rejects.toThrow("down");
  expect(conversation.turns).toHaveLength(1);
  fails = false;
  expect(await conversation.run(never)).toBe(true);
});

test("a result goes to the model as text and pictures, bounded, and a failure as one", () => {
  const png = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const svg = { type: "image", mimeType: "image/svg+xml", data: "AAAA" } as const;
  const text = { type: "text", text: "x".repeat(200_000) } as const;
  const outcome = outcomeOf("1", { content: [png, svg, text], isError: true });
  expect(outcome).toMatchObject({ failed: true, images: [{ mimeType: "image/png", data: "AAAA" }] });
  expect(outcome.text.length).toBeLessThan(101_000);
  expect(outcomeOf("1", { content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}');
});

test("whatever tools are called, their names fit both APIs, differ, and lead back", () => {
  const tool = record({ name: string({ maxLength: 90 }), inputSchema: record({}) });
  const source = record({ name: string({ maxLength: 40 }), tools: array(tool, { maxLength: 6 }) });
  assert(
    property(array(source, { maxLength: 4 }), boolean(), (sources, twice) => {
      const all = twice ? [...sources, ...sources] : sources;
      const offered = offer(all);
      expect(offered.size).toBe(all.reduce((sum, { tools }) => sum + tools.length, 0));
      for (const [name, { source: from, tool: back, schema }] of offered) {
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(from.tools).toContain(back);
        expect(schema["type"]).toBe("object");
      }
    }),
  );
});

test("tools of one server keep their names", () => {
  expect([...offer([{ name: "s", tools: [{ name: "add_note", inputSchema: {} }] }]).keys()]).toEqual(["add_note"]);
});
