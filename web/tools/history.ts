/**
 * The calls that were made, per server: in memory, or in this browser where the person says so.
 */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { button, h, jsonText } from "../dom.ts";
import { readStored, writeStored } from "../storage.ts";

export interface PastCall {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly name: string;
  readonly args: JsonObject;
  /** How it ended, and how long it took. */
  readonly verdict: string;
}

const MAX_CALLS = 50;
/** Of the arguments, in characters; larger ones are not kept. */
const MAX_SIZE = 20_000;

/** @param again opens the tool with these arguments, and calls it if `run` */
export function callHistory(url: string, again: (call: PastCall, run: boolean) => void) {
  const key = `history:${url}`;
  const stored = readStored(key, isCalls);
  const keep = h("input", { type: "checkbox" });
  const summary = h("summary", {});
  const list = h("ul", {});
  let calls: readonly PastCall[] = [];
  const store = (): void => {
    if (keep.checked) writeStored(key, calls);
  };
  const set = (now: readonly PastCall[]): void => {
    calls = now;
    summary.textContent = `History (${calls.length})`;
    list.replaceChildren(...calls.map((call) => rowOf(call, again)));
    store();
  };
  keep.checked = stored !== undefined;
  // Only who unticks it here forgets it; other tabs may keep theirs.
  keep.addEventListener("change", () => writeStored(key, keep.checked ? calls : undefined));
  set(stored ?? []);
  const foot = h(
    "div",
    { class: "actions" },
    h("label", { class: "check" }, keep, "Keep in this browser"),
    button("Clear", () => set([])),
  );
  return {
    element: h("details", { class: "history" }, summary, list, foot),
    add: (call: PastCall): void => {
      if (jsonText(call.args).length <= MAX_SIZE) set([call, ...calls].slice(0, MAX_CALLS));
    },
  };
}

function rowOf(call: PastCall, again: (call: PastCall, run: boolean) => void): HTMLElement {
  const { at, name, args, verdict } = call;
  const fill = button(name, () => again(call, false));
  const run = button("Run again", () => again(call, true));
  fill.title = "Fill in these arguments";
  run.ariaLabel = `Run ${name} again`;
  const what = `${new Date(at).toLocaleTimeString()} · ${verdict} · ${jsonText(args).slice(0, 200)}`;
  return h("li", {}, fill, run, h("span", { class: "hint" }, what));
}

function isCalls(value: unknown): value is PastCall[] {
  return (
    Array.isArray(value) &&
    value.every(
      (call) =>
        isObject(call) && Number.isFinite(call["at"]) && typeof call["name"] === "string" && isObject(call["args"]),
    )
  );
}
