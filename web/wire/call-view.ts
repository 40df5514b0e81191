/**
 * One call in full: its exchanges one below the other, each request with its response. What comes while it is looked at is
 * added to what stands there.
 */
import { parsed } from "../../src/protocol/json-text.ts";
import { decodeHeaderValue } from "../../src/protocol/header-value.ts";
import { box, copyButton, h } from "../dom.ts";
import { cut } from "../results/cut.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import type { DetailView } from "../shell/browse.ts";
import type { State } from "../state.ts";
import type { Field, WireExchange, WireMessage } from "./exchange.ts";
import { curlOf } from "./exports.ts";

const LONG_TEXT = 10_000;
/** A server that asks without end is answered without end. */
const MAX_SHOWN = 50;

export function callView(log: State<readonly WireExchange[]>, { call, title, name }: WireExchange): DetailView {
  const heading = h("h2", { tabindex: -1 }, title, " ", h("code", {}, name));
  const hint = h("p", { class: "hint" }, "The browser adds headers, and hides those that CORS does not expose.");
  const element = h("article", { class: "stack wire" }, heading, hint);
  const updates = new Map<WireExchange, () => void>();
  const close = log.watch((exchanges) => {
    for (const exchange of exchanges) {
      if (exchange.call !== call) continue;
      if (!updates.has(exchange) && updates.size < MAX_SHOWN) updates.set(exchange, addExchange(element, exchange));
      updates.get(exchange)?.();
    }
  });
  return { heading, element, close };
}

/** @returns what draws all that is new */
function addExchange(place: HTMLElement, exchange: WireExchange): () => void {
  const { number, method, url, requestHeaders, requestBody, received } = exchange;
  const state = h("p", { class: "hint", role: "status" });
  const head = box("stack");
  const messages = box("stack");
  place.append(
    h("h3", {}, `#${number} ${method} ${url}`),
    box(
      "bar",
      copyButton("Copy as curl", () => curlOf(exchange)),
    ),
    headersView(requestHeaders),
    requestBody === "" ? "" : bodyView(requestBody),
    state,
    head,
    messages,
  );
  let drawn = 0;
  return () => {
    const { status, statusText, responseHeaders, dropped, endedAt, end = "open", note, failure } = exchange;
    const facts = [
      status && `HTTP ${status} ${statusText}`,
      end.replace("_", " "),
      endedAt !== undefined && `${endedAt} ms`,
      note,
    ];
    const now = facts.filter(Boolean).join(" · ");
    if (state.textContent !== now) {
      state.textContent = now;
      head.replaceChildren(status ? headersView(responseHeaders) : "", failure ? failureBlock(failure) : "");
    }
    const fresh = dropped + received.length - drawn;
    drawn += fresh;
    if (fresh > 0) messages.append(...received.slice(-fresh).map((each) => messageView(exchange, each)));
    while (messages.childElementCount > received.length) messages.firstElementChild?.remove();
  };
}

/** What the headers of MCP stand for is beside what was sent. */
function headersView(headers: readonly Field[]): HTMLElement {
  const lines = headers.flatMap(([name, value]) => {
    if (!name.startsWith("mcp-")) return [`${name}: ${value}\n`];
    const plain = decodeHeaderValue(value) ?? value;
    return [h("b", {}, name), `: ${value}`, plain !== value && h("b", {}, ` = ${plain}`), "\n"];
  });
  return h("pre", { tabindex: 0 }, ...lines);
}

function bodyView(text: string): HTMLElement {
  const value = parsed(text);
  return value === undefined ? h("pre", { tabindex: 0 }, ...cut(text, LONG_TEXT)) : jsonView(value);
}

/** Opened when it is what was waited for; laid out when it is opened. */
function messageView({ isStream }: WireExchange, { at, text, label, event = "", id = "" }: WireMessage): HTMLElement {
  const view = h(
    "details",
    {},
    h(
      "summary",
      {},
      h("span", { class: "chip" }, label),
      " ",
      h("span", { class: "hint" }, `+${at} ms ${event} ${id}`),
    ),
  );
  view.addEventListener("toggle", () => {
    if (view.childElementCount > 1) return;
    view.append(bodyView(text));
  });
  view.open = !isStream || /^(?:response|input|tool|error)/.test(label);
  return view;
}
