/**
 * Boards and notes as resources, completion, prompts, and how the server introduces itself.
 */
import { reset } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { pin, request } from "./client.ts";

afterEach(async () => {
  await reset();
});

async function complete(ref: object, name: string, value: string, settled = {}): Promise<readonly string[]> {
  const params = { ref, argument: { name, value }, context: { arguments: settled } };
  return (await request("completion/complete", params)).result.completion.values;
}

describe("resources", () => {
  test("resources/list shows the boards there are at that moment, to be asked for anew each time", async () => {
    expect((await request("resources/list")).result.resources).toEqual([]);
    await pin("my ideas", "x");
    const { result } = await request("resources/list");
    expect(result.resources).toEqual([
      { uri: "board://my%20ideas", name: "my ideas", title: "my ideas", mimeType: "text/markdown" },
    ]);
    expect(result.ttlMs).toBe(0);
  });

  test("a board reads as Markdown, a note as its text", async () => {
    await pin("my ideas", "first\nline two", "second");
    expect((await request("resources/read", { uri: "board://my%20ideas" })).result.contents).toEqual([
      {
        uri: "board://my%20ideas",
        mimeType: "text/markdown",
        text: "# my ideas\n\n- **2** (yellow) second\n- **1** (yellow) first\n  line two\n",
      },
    ]);
    expect((await request("resources/read", { uri: "note://my%20ideas/1" })).result.contents).toEqual([
      { uri: "note://my%20ideas/1", mimeType: "text/plain", text: "first\nline two" },
    ]);
  });

  test.each([
    "board://nowhere",
    "board://a%2Fb",
    "note://a/2",
    "note://a/1e0",
    "note://a/01",
    "note://a/-1",
    "note://a/99999999999999999999",
    "other://a",
  ])("%s is not found", async (uri) => {
    await pin("a", "x");
    const { error } = await request("resources/read", { uri });
    expect(error).toMatchObject({ code: -32602, data: { uri } });
  });
});

describe("completion", () => {
  const BOARD = { type: "ref/resource", uri: "board://{board}" };
  const NOTE = { type: "ref/resource", uri: "note://{board}/{id}" };

  test("suggests board names by how they start, and note numbers of the board that is settled", async () => {
    await pin("Alpha", ...Array.from({ length: 11 }, (_, n) => String(n)));
    await pin("alps", "x");
    await pin("beta", "x");
    expect(await complete(BOARD, "board", "al")).toEqual(["Alpha", "alps"]);
    expect(await complete(NOTE, "board", "b")).toEqual(["beta"]);
    expect(await complete(NOTE, "id", "1", { board: "Alpha" })).toEqual(["11", "10", "1"]);
    expect(await complete(NOTE, "id", "")).toEqual([]);
    expect(await complete(NOTE, "id", "", { board: "nowhere" })).toEqual([]);
  });

  test("suggests for prompt arguments", async () => {
    await pin("alpha", "x");
    expect(await complete({ type: "ref/prompt", name: "summarise_board" }, "board", "")).toEqual(["alpha"]);
    expect(await complete({ type: "ref/prompt", name: "summarise_board" }, "style", "bul")).toEqual(["bullet points"]);
    expect(await complete({ type: "ref/prompt", name: "brainstorm" }, "topic", "x")).toEqual([]);
  });
});

describe("prompts", () => {
  test("summarise_board puts the board into the conversation", async () => {
    await pin("a", "keep it short");
    const { result } = await request("prompts/get", {
      name: "summarise_board",
      arguments: { board: "a", style: "bullet points" },
    });
    expect(result.messages[0].content.text).toContain("bullet points");
    expect(result.messages[1].content.resource).toMatchObject({ uri: "board://a", mimeType: "text/markdown" });
    expect(result.messages[1].content.resource.text).toContain("keep it short");
  });

  test("summarise_board names its argument when there is no such board", async () => {
    const { error } = await request("prompts/get", { name: "summarise_board", arguments: { board: "a" } });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("board") });
  });

  test("brainstorm falls back to a board of its own", async () => {
    const { result } = await request("prompts/get", { name: "brainstorm", arguments: { topic: "tea" } });
    expect(result.messages[0].content.text).toContain("“ideas”");
  });
});

describe("the server as a whole", () => {
  test("introduces itself with everything it has", async () => {
    const { result } = await request("server/discover");
    expect(Object.keys(result.capabilities).toSorted()).toEqual([
      "completions",
      "logging",
      "prompts",
      "resources",
      "tools",
    ]);
    expect(result.instructions).toContain("add_note");
  });

  test("lists its tools in full on one page", async () => {
    const { result } = await request("tools/list");
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([
      "add_note",
      "edit_note",
      "search_notes",
      "board_stats",
      "draw_board",
      "delete_note",
      "import_notes",
    ]);
    for (const tool of result.tools) {
      expect(Object.keys(tool)).toEqual(
        expect.arrayContaining(["title", "description", "annotations", "icons", "inputSchema"]),
      );
    }
  });
});
