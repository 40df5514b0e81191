/**
 * Which directories a server may know of. Asked once for each server and visit, before the first is shared.
 *
 * @see spec 2026-07-28 client/roots
 */
import type { JsonObject } from "../../src/client.ts";
import { openDialog } from "../dialog.ts";
import { freshId, h } from "../dom.ts";
import { readStored, writeStored } from "../storage.ts";
import type { Question } from "./input-handlers.ts";

const shared = new Map<string, JsonObject>();

/** @throws when the person says no */
export async function shareRoots(url: string, question: Question): Promise<JsonObject> {
  const known = shared.get(url);
  if (known !== undefined) return known;
  const id = freshId();
  const box = h("textarea", {
    id,
    class: "json",
    rows: 3,
    placeholder: "file:///home/me/project",
    spellcheck: "false",
  });
  box.value = (readStored(`roots:${url}`, isTexts) ?? []).join("\n");
  const lines = (): string[] => box.value.split("\n").map((line) => line.trim());
  box.addEventListener("input", () => {
    const wrong = lines().findIndex(
      (line) => line !== "" && !(URL.canParse(line) && new URL(line).protocol === "file:"),
    );
    box.setCustomValidity(wrong < 0 ? "" : `Line ${wrong + 1} is no file:// URI.`);
  });
  const body = [
    h("div", { class: "field" }, h("label", { for: id }, "Directories, a file:// URI on each line"), box),
    h("p", { class: "hint" }, "Kept in this browser for this server. The server gets the names, not the files."),
  ];
  const actions = [
    { value: "share", label: "Share", tone: "primary" },
    { value: "decline", label: "Decline" },
  ] as const;
  if ((await openDialog({ ...question, body, actions })) !== "share") throw new Error("You shared no directories.");
  // As parsed, so that no `..` is left in them.
  const uris = lines().flatMap((line) => (line === "" ? [] : new URL(line).href));
  writeStored(`roots:${url}`, uris);
  const answer = { roots: uris.map((uri) => ({ uri })) };
  shared.set(url, answer);
  return answer;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
