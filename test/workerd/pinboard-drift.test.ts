/**
 * Boards and the directory agree, whatever fails in between; and the same call again puts right what failed.
 */
import { reset, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { Board, type BoardEnv } from "../../src/pinboard/board.ts";
import { callTool, env, pin, request, textOf } from "./client.ts";

afterEach(async () => {
  await reset();
});

const DRAFT = { text: "only note", colour: "pink" } as const;

/** How a call to the directory fails: before it did anything, or after it did, with its answer lost. */
type Failure = { readonly method: "add" | "remove"; readonly done: boolean };

/** The real directory, of which the first call of a method fails. */
function failing({ method, done }: Failure): BoardEnv {
  let failed = false;
  const guard = (called: "add" | "remove") => async (name: string) => {
    const fails = called === method && !failed;
    failed ||= fails;
    const directory = env.DIRECTORY.getByName("boards");
    const result = fails && !done ? undefined : await directory[called](name);
    if (fails) throw new Error("Network connection lost.");
    return result;
  };
  const directory = { add: guard("add"), remove: guard("remove") };
  // Of a namespace, a board uses getByName alone.
  return { DIRECTORY: { getByName: () => directory } } as unknown as BoardEnv;
}

/** Runs with a board whose directory fails. Its storage and its name are those of the real board "a". */
function withBoard<T>(failure: Failure, run: (board: Board, state: DurableObjectState) => Promise<T>): Promise<T> {
  return runInDurableObject(env.BOARDS.getByName("a"), (_board, state) =>
    run(new Board(state, failing(failure)), state),
  );
}

async function listed(): Promise<readonly string[]> {
  return env.DIRECTORY.getByName("boards").names();
}

async function size(): Promise<number> {
  return (await env.BOARDS.getByName("a").find()).size;
}

/** Makes notes of board "a" fail where they are written, as a full disk would. */
async function breakStorage(): Promise<void> {
  await runInDurableObject(env.BOARDS.getByName("a"), (_board, { storage }) => {
    storage.sql.exec(`CREATE TABLE IF NOT EXISTS note (
      id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, colour TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT`);
    storage.sql.exec("CREATE TRIGGER broken BEFORE INSERT ON note BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  });
}

describe("the last note of a board", () => {
  test.each([false, true])(
    "stays, and its board listed, when the directory fails; a retry takes both (done before failing: %s)",
    async (done) => {
      await pin("a", DRAFT.text);
      await withBoard({ method: "remove", done }, async (board) => {
        await expect(board.remove(1)).rejects.toThrow("Network connection lost.");
        expect(board.get(1)?.text).toBe(DRAFT.text);
        expect(await listed()).toEqual(["a"]);
        expect(await board.remove(1)).toEqual({ last: true });
      });
      expect([await size(), await listed()]).toEqual([0, []]);
    },
  );

  test("stays, and its board listed, when the storage fails; a retry takes both", async () => {
    await pin("a", DRAFT.text);
    await runInDurableObject(env.BOARDS.getByName("a"), async (board, { storage }) => {
      Object.defineProperty(storage, "deleteAll", {
        configurable: true,
        value: () => Promise.reject(new Error("disk broken")),
      });
      await expect(board.remove(1)).rejects.toThrow("disk broken");
      expect([board.find().size, await listed()]).toEqual([1, ["a"]]);
      Reflect.deleteProperty(storage, "deleteAll");
      expect(await board.remove(1)).toEqual({ last: true });
    });
    expect([await size(), await listed()]).toEqual([0, []]);
  });

  test("goes once when two take it at the same time", async () => {
    await pin("a", DRAFT.text);
    const board = env.BOARDS.getByName("a");
    const taken = await Promise.all([board.remove(1), board.remove(1)]);
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect([await size(), await listed()]).toEqual([0, []]);
  });

  test("leaves its board listed when another is pinned at the same time", async () => {
    await pin("a", DRAFT.text);
    for (let id = 1, round = 0; round < 20; round++) {
      const board = env.BOARDS.getByName("a");
      const [, added] = await Promise.all([board.remove(id), board.add(DRAFT)]);
      if (!("note" in added)) throw new Error(added.refused);
      id = added.note.id;
      expect([await size(), await listed()]).toEqual([1, ["a"]]);
    }
  });
});

describe("the first note of a board", () => {
  test.each([false, true])(
    "leaves no name behind when the directory fails; a retry pins it (done before failing: %s)",
    async (done) => {
      await withBoard({ method: "add", done }, async (board) => {
        await expect(board.add(DRAFT)).rejects.toThrow("Network connection lost.");
        expect([board.find().size, await listed()]).toEqual([0, []]);
        expect(await board.add(DRAFT)).toMatchObject({ note: { id: 1 }, first: true });
      });
      expect([await size(), await listed()]).toEqual([1, ["a"]]);
    },
  );

  test("leaves no name and nothing stored behind when it cannot be written; a retry pins it", async () => {
    await breakStorage();
    await runInDurableObject(env.BOARDS.getByName("a"), async (board, { storage }) => {
      await expect(board.add(DRAFT)).rejects.toThrow("disk full");
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'note'").toArray()).toEqual([]);
    });
    expect([await size(), await listed()]).toEqual([0, []]);
    expect(textOf(await callTool("add_note", { board: "a", text: "x" }))).toBe("Pinned note 1 to “a”.");
    expect(await listed()).toEqual(["a"]);
  });

  test("repairs a name whose removal failed as well", async () => {
    await breakStorage();
    await withBoard({ method: "remove", done: false }, async (board, { storage }) => {
      await expect(board.add(DRAFT)).rejects.toThrow("disk full");
      expect([board.find().size, await listed()]).toEqual([0, ["a"]]);
      storage.sql.exec("DROP TRIGGER broken");
      expect(await board.add(DRAFT)).toMatchObject({ note: { id: 1 }, first: true });
    });
    expect([await size(), await listed()]).toEqual([1, ["a"]]);
    expect((await request("resources/list")).result.resources).toHaveLength(1);
  });
});
