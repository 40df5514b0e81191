/**
 * What the pinboard tells those who listen: which tools say what, and when they say nothing.
 *
 * Each test ends its listening with a change that it knows to be heard last, so that what was not said is seen missing.
 */
import { reset } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { MAX_NOTES } from "../../src/pinboard/note.ts";
import { gist, listen, type Listening } from "../kit/listen.ts";
import { requestFor } from "../kit/post.ts";
import { callTool, env, pin, request, worker } from "./client.ts";

const open: Listening[] = [];

afterEach(async () => {
  for (const listening of open.splice(0)) await listening.close();
  await reset();
});

/** A note on this board is the last thing that a test makes happen. */
const LAST = "last";
const LAST_URI = `board://${LAST}`;

/** Listens for the list of boards and for these, and does so once this returns. */
async function listenFor(...uris: string[]): Promise<Listening> {
  const listening = await listen(worker, { resourcesListChanged: true, resourceSubscriptions: [...uris, LAST_URI] });
  open.push(listening);
  expect(gist(await listening.next())).toBe("subscriptions/acknowledged");
  return listening;
}

/** What was heard up to the last change, in any order within one tool call: it is said in one go. */
async function heard(listening: Listening): Promise<string[]> {
  await pin(LAST, "that is all");
  const gists: string[] = [];
  for (;;) {
    const said = gist(await listening.next());
    if (said === "end") throw new Error(`the stream ended after ${gists.join(", ")}`);
    gists.push(said);
    if (said === updated(LAST_URI)) return gists.slice(0, -2); // Without the list change that the last board brings.
  }
}

const updated = (uri: string): string => `resources/updated ${uri}`;
const LIST = "resources/list_changed";

async function deleteNote(board: string, id: number): Promise<void> {
  const forms = { capabilities: { elicitation: { form: {} } } };
  const { result } = await callTool("delete_note", { board, id }, forms);
  await callTool("delete_note", { board, id }, forms, {
    inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
    requestState: result.requestState,
  });
}

test("the server says that it tells of resources, and of nothing else", async () => {
  const { capabilities } = (await request("server/discover")).result;
  expect(capabilities["resources"]).toEqual({ listChanged: true, subscribe: true });
});

describe("add_note", () => {
  test("tells of the board, of the note, and of the list when the board is new", async () => {
    const listening = await listenFor("board://a", "note://a/1", "note://a/2");
    await pin("a", "one");
    await pin("a", "two");
    const both = [updated("board://a"), updated("note://a/1"), updated("board://a"), updated("note://a/2")];
    expect(await heard(listening)).toEqual([LIST, ...both]);
  });

  test("tells nothing when the note is refused", async () => {
    const listening = await listenFor("board://a");
    await callTool("add_note", { board: "a", text: " " });
    expect(await heard(listening)).toEqual([]);
  });

  test("tells under one URI, however the board's name is spelled", async () => {
    const listening = await listenFor("board://caf%C3%A9", "note://caf%C3%A9/1");
    await pin("cafe\u0301", "decomposed");
    expect(await heard(listening)).toEqual([LIST, updated("board://caf%C3%A9"), updated("note://caf%C3%A9/1")]);
  });

  test("tells nothing of other boards", async () => {
    await pin("b", "there before");
    const listening = await listenFor("board://a", "note://a/2");
    await pin("b", "x");
    expect(await heard(listening)).toEqual([]);
  });
});

describe("edit_note", () => {
  test("tells of the board and of the note", async () => {
    await pin("a", "one");
    const listening = await listenFor("board://a", "note://a/1");
    await callTool("edit_note", { board: "a", id: 1, text: "another" });
    expect(await heard(listening)).toEqual([updated("board://a"), updated("note://a/1")]);
  });

  test("tells nothing when the note is as it was, or is not there", async () => {
    await pin("a", "one");
    const listening = await listenFor("board://a", "note://a/1", "note://a/2");
    await callTool("edit_note", { board: "a", id: 1, text: "one", colour: "yellow" });
    await callTool("edit_note", { board: "a", id: 2, text: "no such note" });
    expect(await heard(listening)).toEqual([]);
  });
});

describe("delete_note", () => {
  test("tells of the board and of the note, and of the list when the board goes", async () => {
    await pin("a", "one", "two");
    const listening = await listenFor("board://a", "note://a/1", "note://a/2");
    await deleteNote("a", 1);
    await deleteNote("a", 2);
    const first = [updated("board://a"), updated("note://a/1")];
    expect(await heard(listening)).toEqual([...first, LIST, updated("board://a"), updated("note://a/2")]);
  });

  test("tells nothing when the person declines", async () => {
    await pin("a", "one");
    const listening = await listenFor("board://a", "note://a/1");
    const forms = { capabilities: { elicitation: { form: {} } } };
    const { result } = await callTool("delete_note", { board: "a", id: 1 }, forms);
    const declined = { inputResponses: { confirm: { action: "decline" } }, requestState: result.requestState };
    await callTool("delete_note", { board: "a", id: 1 }, forms, declined);
    expect(await heard(listening)).toEqual([]);
  });
});

describe("import_notes", () => {
  test("tells once of the board and of each note", async () => {
    const listening = await listenFor("board://a", "note://a/1", "note://a/2", "note://a/3");
    await callTool("import_notes", { board: "a", notes: ["x", "y", "z"] });
    const notes = [1, 2, 3].map((id) => updated(`note://a/${id}`));
    expect(await heard(listening)).toEqual([LIST, updated("board://a"), ...notes]);
  });

  test("tells nothing when nothing is pinned", async () => {
    const listening = await listenFor("board://a");
    await callTool("import_notes", { board: "a", notes: ["good", " "] });
    expect(await heard(listening)).toEqual([]);
  });

  test("tells of what is pinned by then when the caller goes away", async () => {
    const listening = await listenFor("board://cut", "note://cut/1");
    const reader = await startImporting("cut");
    await reader?.cancel();
    const said = [gist(await listening.next()), gist(await listening.next()), gist(await listening.next())];
    expect(said).toEqual([LIST, updated("board://cut"), updated("note://cut/1")]);
    expect((await env.BOARDS.getByName("cut").find("", 1)).size).toBeLessThan(MAX_NOTES);
  });

  test("tells of what is pinned by then when one is refused", async () => {
    const listening = await listenFor("board://a", "note://a/1", `note://a/${MAX_NOTES}`);
    const reader = await startImporting("a");
    // Takes the place that the import counted on for its last note.
    await env.BOARDS.getByName("a").add({ text: "in between", colour: "pink" });
    let reply = "";
    for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) {
      reply += new TextDecoder().decode(chunk.value);
    }
    expect(reply).toContain(`${MAX_NOTES - 1} of ${MAX_NOTES} notes were pinned`);
    const notes = [1, MAX_NOTES].map((id) => updated(`note://a/${id}`));
    expect(await heard(listening)).toEqual([LIST, updated("board://a"), ...notes]);
  });
});

/** Imports as many notes as a board holds. @returns the reply, from after the first of its progress */
async function startImporting(board: string): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
  const params = { name: "import_notes", arguments: { board, lines: "x\n".repeat(MAX_NOTES) } };
  const response = await worker.fetch(requestFor("tools/call", params, { progressToken: "t" }));
  const reader = response.body?.getReader();
  await reader?.read();
  return reader;
}
