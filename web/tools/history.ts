/**
 * The calls that were made, for as long as the page is open.
 */
import type { JsonObject } from "../../src/client.ts";
import { button, h, jsonText } from "../dom.ts";

export interface PastCall {
  readonly name: string;
  readonly args: JsonObject;
  /** How it ended, and how long it took. */
  readonly verdict: string;
}

const MAX_CALLS = 50;
/** Of the arguments, in characters, that are shown. */
const MAX_SHOWN = 200;

/** @param again opens the tool with these arguments, and calls it if `run` */
export function callHistory(again: (call: PastCall, run: boolean) => void) {
  const list = h("ul", {});
  return {
    element: h("details", { class: "history" }, h("summary", {}, "History"), list),
    add: (call: PastCall): void => {
      const { name, args, verdict } = call;
      const run = button("Run again", () => again(call, true));
      run.ariaLabel = `Run ${name} again`;
      const what = `${new Date().toLocaleTimeString()} · ${verdict} · ${jsonText(args).slice(0, MAX_SHOWN)}`;
      const fill = button(name, () => again(call, false));
      list.prepend(h("li", {}, fill, run, h("span", { class: "hint" }, what)));
      if (list.childElementCount > MAX_CALLS) list.lastChild?.remove();
    },
  };
}
