/**
 * The calls that were made, per server: in memory, or in this browser where the person says so.
 */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { button, h } from "../dom.ts";
import { State } from "../state.ts";
import { readStored, writeStored } from "../storage.ts";

export interface PastCall {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly name: string;
  readonly args: JsonObject;
  readonly verdict: string;
}

const MAX_CALLS = 50;
/** Of the arguments, in characters; larger ones are not kept. */
const MAX_SIZE = 20_000;

export class History {
  readonly element: HTMLElement;
  readonly #key: string;
  readonly #calls: State<readonly PastCall[]>;
  readonly #keep = h("input", { type: "checkbox" });

  /** @param again opens the tool with these arguments, and calls it if `run` */
  constructor(url: string, again: (call: PastCall, run: boolean) => void) {
    this.#key = `history:${url}`;
    const stored = readStored(this.#key, isCalls);
    this.#calls = new State<readonly PastCall[]>(stored ?? []);
    this.#keep.checked = stored !== undefined;
    this.#keep.addEventListener("change", () => this.#store());
    const list = h("ul", {});
    const summary = h("summary", {});
    const clear = button("Clear", () => this.#set([]));
    const foot = h(
      "div",
      { class: "actions" },
      h("label", { class: "check" }, this.#keep, "Keep in this browser"),
      clear,
    );
    this.element = h("details", { class: "history" }, summary, list, foot);
    this.#calls.watch((calls) => {
      summary.textContent = `History (${calls.length})`;
      list.replaceChildren(...calls.map((call) => h("li", {}, ...rowOf(call, again))));
    });
  }

  add(call: PastCall): void {
    if (JSON.stringify(call.args).length <= MAX_SIZE) this.#set([call, ...this.#calls.value].slice(0, MAX_CALLS));
  }

  #set(calls: readonly PastCall[]): void {
    this.#calls.set(calls);
    this.#store();
  }

  #store(): void {
    writeStored(this.#key, this.#keep.checked ? this.#calls.value : undefined);
  }
}

function rowOf(call: PastCall, again: (call: PastCall, run: boolean) => void): HTMLElement[] {
  const { at, name, args, verdict } = call;
  const fill = button(name, () => again(call, false));
  const run = button("Run again", () => again(call, true));
  fill.title = "Fill in these arguments";
  run.setAttribute("aria-label", `Run ${name} again`);
  const when = h(
    "span",
    { class: "hint" },
    `${new Date(at).toLocaleTimeString()} · ${verdict} · ${JSON.stringify(args).slice(0, 200)}`,
  );
  return [fill, run, when];
}

function isCalls(value: unknown): value is PastCall[] {
  return (
    Array.isArray(value) &&
    value.every(
      (call: unknown) =>
        isObject(call) &&
        typeof call["at"] === "number" &&
        typeof call["name"] === "string" &&
        isObject(call["args"]) &&
        typeof call["verdict"] === "string",
    )
  );
}
