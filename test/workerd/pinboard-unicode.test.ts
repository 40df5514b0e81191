/**
 * Names and texts that JSON Schema lets through and no board or note can have: every tool says so.
 */
import { reset } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { callTool, env, pin, request, textOf } from "./client.ts";

afterEach(async () => {
  await reset();
});

/** One code point each as typed, two in normal form. */
const GROWING = [
  ["U+FB1D", "\uFB1D".repeat(40)],
  ["U+0958", "\u0958".repeat(40)],
] as const;
const LONE = ["\ud800", "a\udc00b", "\udc00\ud800"];

describe.each(GROWING)("a board name that fits as typed and is too long in normal form, of %s", (_character, board) => {
  test.each([
    ["add_note", { text: "x" }],
    ["edit_note", { id: 1, text: "x" }],
    ["delete_note", { id: 1 }],
    ["search_notes", {}],
    ["board_stats", {}],
    ["draw_board", {}],
    ["import_notes", { notes: ["a"] }],
  ])("%s refuses it and says why", async (tool, args) => {
    const reply = await callTool(tool, { board, ...args }, { capabilities: { elicitation: { form: {} } } });
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain("more than 40 characters in its normal form");
    expect(await env.DIRECTORY.getByName("boards").names()).toEqual([]);
  });

  test("resources and prompts have no such board", async () => {
    for (const uri of [`board://${encodeURIComponent(board)}`, `note://${encodeURIComponent(board)}/1`]) {
      expect((await request("resources/read", { uri })).error).toMatchObject({ code: -32602 });
    }
    const prompt = await request("prompts/get", { name: "summarise_board", arguments: { board } });
    expect(prompt.error?.code).toBe(-32602);
    const ref = { type: "ref/resource", uri: "note://{board}/{id}" };
    const params = { ref, argument: { name: "id", value: "" }, context: { arguments: { board } } };
    expect((await request("completion/complete", params)).result.completion.values).toEqual([]);
  });
});

test.each(["\uFB1D".repeat(20), "e\u0301".repeat(20)])(
  "a name of 40 characters in either form is one: %s",
  async (board) => {
    await pin(board, "x");
    expect(await env.DIRECTORY.getByName("boards").names()).toEqual([board.normalize("NFC")]);
    expect((await request("resources/read", { uri: `board://${encodeURIComponent(board)}` })).error).toBeUndefined();
  },
);

describe.each(LONE)("a text with half of a surrogate pair: %j", (text) => {
  test.each([
    ["add_note", { text }, "The text is not valid Unicode"],
    ["edit_note", { id: 1, text }, "The text is not valid Unicode"],
    ["import_notes", { notes: ["good", text] }, "Note 2 of 2 is not valid Unicode"],
    ["import_notes", { lines: `good\n${text}` }, "Note 2 of 2 is not valid Unicode"],
  ])("%s refuses it and says why", async (tool, args, message) => {
    await pin("a", "as it was");
    const reply = await callTool(tool, { board: "a", ...args });
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain(message);
    expect(textOf(await callTool("search_notes", { board: "a" }))).toBe("1 note on “a”:\n1. [yellow] as it was");
  });
});
