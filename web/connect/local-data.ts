/** All that the page keeps in this browser: to take along, and to be rid of. */
import { isObject } from "../../src/protocol/json-rpc.ts";
import { openDialog } from "../dialog.ts";
import { button, h, saveFile } from "../dom.ts";
import { readStored, storedKeys, writeStored } from "../storage.ts";
import { maskPairs } from "../wire/mask.ts";

/** Of the store in `mcp-edge/client/oauth`. */
const TOKENS = "mcp-edge-oauth";

export function localData(): HTMLElement {
  return h(
    "section",
    { class: "card" },
    h("h3", {}, "What this browser keeps"),
    h("p", { class: "hint" }, "What you asked it to remember, settings, and what you signed in with."),
    h(
      "div",
      { class: "actions" },
      button("Export", exportAll, ""),
      button("Clear everything", () => void clearAll(), ""),
    ), // A failure ends in the console.
  );
}

/** Without keys and values of headers, which a file is no place for. */
function exportAll(): void {
  const all = storedKeys().map((key) => [maskPairs(key), readStored(key, (value): value is unknown => value !== null)]);
  saveFile("mcp-edge-page.json", JSON.stringify(Object.fromEntries(all), fitForFile, 2));
}

function fitForFile(name: string, value: unknown): unknown {
  if (!isObject(value)) return name === "url" && typeof value === "string" ? maskPairs(value) : value;
  if (name === "chat-model") return { ...value, key: undefined };
  // By address and name.
  if (name === "approved") return Object.keys(value).map(maskPairs);
  return name === "headers" ? Object.keys(value) : value;
}

async function clearAll(): Promise<void> {
  const answer = await openDialog({
    title: "Clear everything?",
    body: [h("p", {}, "You will be signed out everywhere, and the page begins anew.")],
    actions: [
      { value: "clear", label: "Clear", tone: "danger" },
      { value: "", label: "Keep" },
    ],
  });
  if (answer !== "clear") return;
  for (const key of storedKeys()) writeStored(key, undefined);
  // Other tabs let go of it when they hear of this, and it is gone when the last one has.
  indexedDB.deleteDatabase(TOKENS);
  location.assign("/");
}
