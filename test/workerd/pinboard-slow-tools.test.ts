/**
 * The tools that ask back and those that take a while, and the two that reply with more than text.
 */
import { reset } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { MAX_NOTES } from "../../src/pinboard/note.ts";
import { requestFor } from "../kit/post.ts";
import { callTool, env, pin, request, type Retry, textOf, worker } from "./client.ts";

afterEach(async () => {
  await reset();
});

const FORMS = { capabilities: { elicitation: { form: {} } } };
const AGREED = { action: "accept", content: { confirm: true } };

function answer(confirm: object, requestState: string): Retry {
  return { inputResponses: { confirm }, requestState };
}

describe("delete_note", () => {
  const ARGS = { board: "a", id: 1 };

  test("asks first, showing the note, and deletes when the person agrees", async () => {
    await pin("a", "old news", "other");
    const { result } = await callTool("delete_note", ARGS, FORMS);
    expect(result.resultType).toBe("input_required");
    expect(result.inputRequests.confirm.params.message).toContain("old news");
    expect(textOf(await callTool("delete_note", ARGS, FORMS, answer(AGREED, result.requestState)))).toBe(
      "Deleted note 1 from “a”.",
    );
    expect(textOf(await callTool("search_notes", { board: "a" }))).toBe("1 note on “a”:\n2. [yellow] other");
  });

  test.each([
    ["declines", { action: "decline" }],
    ["cancels", { action: "cancel" }],
    ["accepts without ticking the box", { action: "accept", content: { confirm: false } }],
  ])("keeps the note when the person %s", async (_name, reaction) => {
    await pin("a", "precious");
    const { result } = await callTool("delete_note", ARGS, FORMS);
    expect(textOf(await callTool("delete_note", ARGS, FORMS, answer(reaction, result.requestState)))).toContain(
      "stays",
    );
    expect(textOf(await callTool("search_notes", { board: "a" }))).toContain("precious");
  });

  test("keeps a note that was changed between the question and the answer", async () => {
    await pin("a", "as shown");
    const { result } = await callTool("delete_note", ARGS, FORMS);
    await callTool("edit_note", { ...ARGS, text: "as changed" });
    const reply = await callTool("delete_note", ARGS, FORMS, answer(AGREED, result.requestState));
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain("changed in the meantime");
  });

  test("refuses an answer of the wrong shape, and state that was sealed for another note", async () => {
    await pin("a", "one", "two");
    const { result } = await callTool("delete_note", ARGS, FORMS);
    const malformed = await callTool(
      "delete_note",
      ARGS,
      FORMS,
      answer({ action: "accept", content: { confirm: "yes" } }, result.requestState),
    );
    expect(malformed.error?.code).toBe(-32602);
    const foreign = await callTool("delete_note", { board: "a", id: 2 }, FORMS, answer(AGREED, result.requestState));
    expect(foreign.error?.code).toBe(-32602);
    expect(textOf(await callTool("search_notes", { board: "a" }))).toContain("2 notes");
  });

  test("does not ask a client that cannot show forms", async () => {
    await pin("a", "x");
    const { status, error } = await callTool("delete_note", ARGS);
    expect([status, error?.code]).toEqual([400, -32021]);
  });

  test("takes a board with its last note, out of the list too", async () => {
    await pin("a", "last");
    const { result } = await callTool("delete_note", ARGS, FORMS);
    await callTool("delete_note", ARGS, FORMS, answer(AGREED, result.requestState));
    expect((await request("resources/list")).result.resources).toEqual([]);
    expect((await callTool("board_stats", { board: "a" })).result.isError).toBe(true);
    expect(textOf(await callTool("add_note", { board: "a", text: "anew" }))).toBe("Pinned note 1 to “a”.");
    expect((await request("resources/list")).result.resources).toHaveLength(1);
  });

  test("asks nothing about a note that is not there", async () => {
    await pin("a", "x");
    expect(textOf(await callTool("delete_note", { board: "a", id: 7 }, FORMS))).toContain("There is no note 7");
  });
});

describe("import_notes", () => {
  test("pins a list and the lines of a text, with one progress message for each", async () => {
    const reply = await callTool(
      "import_notes",
      { board: "in", notes: ["a", "b"], lines: "c\r\n\n d \n" },
      { progressToken: 0 },
    );
    expect(textOf(reply)).toBe("Pinned 4 notes to “in”.");
    const steps = reply.notifications.map(({ method, params }) => [method, params]);
    expect(steps.map(([method]) => method)).toEqual(Array.from({ length: 4 }, () => "notifications/progress"));
    expect(steps.at(-1)?.[1]).toEqual({ progressToken: 0, progress: 4, total: 4, message: "d" });
    expect(textOf(await callTool("search_notes", { board: "in" }))).toContain("4 notes");
  });

  test.each([
    ["nothing", {}, "nothing to import"],
    ["only empty lines", { lines: "\n \n" }, "nothing to import"],
    ["a blank note among good ones", { notes: ["good", " "] }, "Note 2 of 2 is empty"],
    ["a line that is too long", { lines: `ok\n${"x".repeat(2_001)}` }, "Note 2 of 2 is longer"],
    ["more notes than a board holds", { lines: "x\n".repeat(MAX_NOTES + 1) }, `room for ${MAX_NOTES}`],
    ["something that is no text", { notes: ["a", 5] }, "/notes/1"],
  ])("pins nothing when it is given %s", async (_name, args, message) => {
    const reply = await callTool("import_notes", { board: "in", ...args });
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain(message);
    expect((await callTool("board_stats", { board: "in" })).result.isError).toBe(true);
  });

  test("fills a board to the limit and no further", async () => {
    await callTool("import_notes", { board: "full", lines: "x\n".repeat(MAX_NOTES) });
    const reply = await callTool("add_note", { board: "full", text: "one more" });
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain("The board is full");
  });

  test("stops when the caller goes away", async () => {
    const params = { name: "import_notes", arguments: { board: "cut", lines: "x\n".repeat(MAX_NOTES) } };
    const response = await worker.fetch(requestFor("tools/call", params, { progressToken: "t" }));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    // Two looks that agree: nobody pins any more.
    let before = -1;
    let now = (await env.BOARDS.getByName("cut").find("", 1)).size;
    while (now !== before) {
      before = now;
      await scheduler.wait(50);
      now = (await env.BOARDS.getByName("cut").find("", 1)).size;
    }
    expect(now).toBeGreaterThan(0);
    expect(now).toBeLessThan(MAX_NOTES);
  });
});

describe("board_stats", () => {
  test("counts notes, words, characters and colours, as its outputSchema says", async () => {
    await pin("a", "two words");
    await callTool("add_note", { board: "a", text: "three more words", colour: "blue" });
    const { result } = await callTool("board_stats", { board: "a" });
    const { oldest, newest, ...counts } = result.structuredContent;
    expect(counts).toEqual({
      board: "a",
      notes: 2,
      words: 5,
      characters: 25,
      colours: { yellow: 1, pink: 0, blue: 1, green: 0, violet: 0 },
    });
    expect(Date.parse(oldest)).toBeLessThanOrEqual(Date.parse(newest));
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  });
});

describe("draw_board", () => {
  test("returns a PNG of the board's cards, and says in words what it shows", async () => {
    await pin("a", "first", "second");
    const { result } = await callTool("draw_board", { board: "a" });
    expect(result.content[0]).toMatchObject({ type: "image", mimeType: "image/png" });
    const bytes = Uint8Array.from(atob(result.content[0].data), (character) => character.charCodeAt(0));
    expect([...bytes.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
    expect(result.content[1]?.text).toBe("The board “a”: 2 notes.");
  });
});
