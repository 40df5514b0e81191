/**
 * The pinboard in the Workers runtime, with real Durable Objects: notes, what is refused, and what outlives an object.
 */
import { abortAllDurableObjects, evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { MAX_BOARDS } from "../../src/pinboard/note.ts";
import { callTool, env, pin, request, textOf } from "./client.ts";

afterEach(async () => {
  await reset();
});

describe("add_note", () => {
  test("pins a note and links to it", async () => {
    const { result } = await callTool("add_note", {
      board: "ideas",
      text: "Feed the cat\nand the dog",
      colour: "pink",
    });
    expect(result.content).toEqual([
      { type: "text", text: "Pinned note 1 to “ideas”." },
      { type: "resource_link", uri: "note://ideas/1", name: "ideas/1", title: "Feed the cat", mimeType: "text/plain" },
    ]);
  });

  test("keeps boards apart and numbers notes within each", async () => {
    await pin("a", "one", "two");
    await pin("b", "three");
    expect(textOf(await callTool("search_notes", { board: "a" }))).toContain("2 notes");
    expect(textOf(await callTool("search_notes", { board: "b" }))).toBe("1 note on “b”:\n1. [yellow] three");
  });

  test.each([
    ["an empty text", { board: "a", text: "" }, "/text"],
    ["a blank text", { board: "a", text: " \n\t" }, "/text"],
    ["a text that is too long", { board: "a", text: "x".repeat(2_001) }, "/text"],
    ["an unknown colour", { board: "a", text: "x", colour: "beige" }, "/colour"],
    ["an empty board name", { board: "", text: "x" }, "/board"],
    ["a board name that starts with a space", { board: " a", text: "x" }, "/board"],
    ["a board name with a slash", { board: "a/b", text: "x" }, "/board"],
    ["an argument it does not know", { board: "a", text: "x", __proto__x: 1 }, "__proto__x"],
  ])("refuses %s and says where", async (_name, args, place) => {
    const reply = await callTool("add_note", args);
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain(place);
    expect((await request("resources/list")).result.resources).toEqual([]);
  });

  test("counts emoji as one character each, so 2,000 of them fit", async () => {
    await pin("a", "😀".repeat(2_000));
    expect((await callTool("board_stats", { board: "a" })).result.structuredContent.characters).toBe(2_000);
  });

  test("treats two spellings of one name as the same board", async () => {
    await pin("caf\u00e9", "composed");
    await pin("cafe\u0301", "decomposed");
    expect((await request("resources/list")).result.resources).toHaveLength(1);
  });

  test("numbers notes without gaps or repeats when many arrive at once, the first of a board included", async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => callTool("add_note", { board: "rush", text: `note ${n}` })),
    );
    const ids = replies.map((reply) => Number(/note (\d+)/.exec(textOf(reply))?.[1])).toSorted((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  test("refuses one more board than there may be, and names the limit", async () => {
    const directory = env.DIRECTORY.getByName("boards");
    for (let n = 0; n < MAX_BOARDS; n++) await directory.add(`board ${n}`);
    const reply = await callTool("add_note", { board: "last straw", text: "x" });
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain(String(MAX_BOARDS));
    expect(textOf(await callTool("add_note", { board: "board 7", text: "x" }))).toBe("Pinned note 1 to “board 7”.");
  });
});

describe("durability", () => {
  test("notes survive the eviction of their object", async () => {
    await pin("keep", "still here");
    await evictDurableObject(env.BOARDS.getByName("keep"));
    expect(textOf(await callTool("search_notes", { board: "keep" }))).toContain("still here");
  });

  test("notes and the list of boards survive when every object is aborted", async () => {
    await pin("keep", "still here");
    await abortAllDurableObjects();
    expect(textOf(await callTool("search_notes", { board: "keep" }))).toContain("still here");
    expect((await request("resources/list")).result.resources[0].uri).toBe("board://keep");
    expect(textOf(await callTool("add_note", { board: "keep", text: "second" }))).toBe("Pinned note 2 to “keep”.");
  });

  test("asking for boards that do not exist stores nothing", async () => {
    await callTool("search_notes", { board: "nowhere" });
    await callTool("board_stats", { board: "nowhere" });
    const stored = await runInDurableObject(env.BOARDS.getByName("nowhere"), (_board, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'note'").toArray(),
    );
    expect(stored).toEqual([]);
  });

  test("no argument of a remote call reaches the database unjudged", async () => {
    // Straight on the instances: a rejection that crosses objects inside one test process is reported as unhandled, too.
    await runInDurableObject(env.BOARDS.getByName("strict"), async (board) => {
      const wild = board as unknown as Record<"get" | "find" | "add", (argument: unknown) => unknown>; // As RPC has it.
      for (const draft of [
        { text: "" },
        { text: 5, colour: "pink" },
        { text: "x", colour: "beige" },
        { text: "\ud800", colour: "pink" },
      ]) {
        await expect(wild.add(draft)).rejects.toThrow(TypeError);
      }
      for (const id of [0, -1, 1.5, "1", null]) expect(() => wild.get(id)).toThrow(TypeError);
      expect(() => wild.find(5)).toThrow(TypeError);
    });
    await runInDurableObject(env.DIRECTORY.getByName("boards"), (directory) => {
      expect(() => directory.add("a/b")).toThrow(TypeError);
      expect(directory.names()).toEqual([]);
    });
  });
});

describe("edit_note", () => {
  test("changes what is given and leaves the rest", async () => {
    await pin("a", "draft");
    expect(textOf(await callTool("edit_note", { board: "a", id: 1, colour: "green" }))).toBe("Changed note 1 on “a”.");
    await callTool("edit_note", { board: "a", id: 1, text: "final" });
    expect(textOf(await callTool("search_notes", { board: "a" }))).toContain("1. [green] final");
  });

  test("wants something to change", async () => {
    await pin("a", "draft");
    const reply = await callTool("edit_note", { board: "a", id: 1 });
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toContain("Nothing to change");
  });

  test("tells a missing note from a missing board", async () => {
    await pin("a", "draft");
    expect(textOf(await callTool("edit_note", { board: "a", id: 9, text: "x" }))).toContain(
      "There is no note 9 on “a”",
    );
    expect(textOf(await callTool("edit_note", { board: "b", id: 1, text: "x" }))).toContain(
      "There is no board “b”. These exist: “a”",
    );
  });
});

describe("search_notes", () => {
  test("finds text without regard to case, in any script, newest first", async () => {
    await pin("a", "Ärger mit Öl", "nothing", "kein ÄRGER");
    expect(textOf(await callTool("search_notes", { board: "a", query: "ärger" }))).toBe(
      "2 notes with “ärger” on “a”:\n3. [yellow] kein ÄRGER\n1. [yellow] Ärger mit Öl",
    );
  });

  test("treats wildcards and quotes as plain characters", async () => {
    await pin("a", "100 %", "it's", "plain");
    expect(textOf(await callTool("search_notes", { board: "a", query: "%" }))).toContain("1 note with “%”");
    expect(textOf(await callTool("search_notes", { board: "a", query: "'" }))).toContain("1 note with “'”");
  });

  test("says how many there are when it shows fewer", async () => {
    await pin("a", "1", "2", "3");
    const { result } = await callTool("search_notes", { board: "a", limit: 2 });
    expect(result.content[0].text).toContain("The newest 2 of 3 notes on “a”");
    expect(result.content).toHaveLength(3);
  });

  test("wants the board in its header, Base64 where it is not ASCII", async () => {
    await pin("日本", "こんにちは");
    expect(textOf(await callTool("search_notes", { board: "日本" }))).toContain("こんにちは");
    const bare = await request("tools/call", { name: "search_notes", arguments: { board: "日本" } });
    expect([bare.status, bare.error?.code]).toEqual([400, -32020]);
    const other = await callTool("search_notes", { board: "日本" }, { headers: { "mcp-param-board": "elsewhere" } });
    expect([other.status, other.error?.code]).toEqual([400, -32020]);
  });

  test("names the boards there are when there is no such board", async () => {
    expect(textOf(await callTool("search_notes", { board: "a" }))).toContain("nor any other yet");
    await pin("ideas", "x");
    const reply = await callTool("search_notes", { board: "idea" });
    expect(reply.result.isError).toBe(true);
    expect(textOf(reply)).toBe("There is no board “idea”. These exist: “ideas”.");
  });
});
