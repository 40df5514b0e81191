/** One exchange in full. What comes while it is looked at is added to what stands there. */
import { McpError, ProtocolError } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, copyButton, h } from "../dom.ts";
import { cut } from "../results/cut.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import { hrefTo } from "../route.ts";
import type { Field, WireExchange, WireMessage } from "./exchange.ts";
import { mirrored } from "./mirrored.ts";
import { messagesIn, parsed } from "./rpc.ts";
import { isBad, faultOf, stateOf, traffic } from "./summary.ts";
import { curlOf, rawOf } from "./text-forms.ts";

const LONG_TEXT = 10_000;

export interface ExchangeView {
  readonly heading: HTMLElement;
  readonly element: HTMLElement;
  /** Draws what is new. */
  update(): void;
}

export function exchangeView(exchange: WireExchange): ExchangeView {
  const { number, title, name, method, url, requestHeaders, requestBody, received } = exchange;
  const heading = h("h2", { tabindex: -1 }, title, " ", h("code", {}, name));
  const state = h("span", { class: "state", role: "status" });
  const facts = h("p", { class: "hint" });
  const links = h("p", { class: "bar" });
  const head = h("div", { class: "stack" });
  const messages = h("div", { class: "stack" });
  const element = h(
    "article",
    { class: "stack wire" },
    h("header", { class: "line" }, heading, state),
    h("p", {}, h("span", { class: "chip" }, `#${number}`), " ", h("code", {}, `${method} ${url}`)),
    facts,
    links,
    h(
      "div",
      { class: "bar" },
      copyButton("Copy as curl", () => curlOf(exchange)),
      copyButton("Copy raw", () => rawOf(exchange)),
    ),
    h("h3", {}, "Request"),
    headersView(requestHeaders, parsed(requestBody)),
    h("p", { class: "hint" }, "The browser adds headers of its own. Secrets are masked (••••), in copies too."),
    requestBody === "" ? undefined : bodyView(requestBody),
    h("h3", {}, "Response"),
    head,
    messages,
  );
  let drawn = 0;
  const update = (): void => {
    const { status, statusText, responseHeaders, dropped, headersAt, firstByteAt, endedAt, end } = exchange;
    const [tone, words] = stateOf(exchange);
    if (state.textContent !== words) state.textContent = words;
    element.dataset["tone"] = tone;
    const times = Object.entries({ headers: headersAt, "first byte": firstByteAt, end: endedAt });
    facts.textContent = [
      traffic(exchange),
      ...times.map(([what, at]) => at !== undefined && `${what} after ${at} ms`),
      dropped > 0 && `${dropped} earlier events are not kept`,
    ]
      .filter(Boolean)
      .join(" · ");
    const targets = linksOf(exchange);
    if (targets.length !== links.childElementCount) {
      links.replaceChildren(
        ...targets.map(([what, to]) => h("a", { href: hrefTo("wire", `${to}`) }, `${what} #${to}`)),
      );
    }
    if (status !== undefined && head.dataset["status"] === undefined) {
      head.dataset["status"] = `${status}`;
      head.append(
        h("code", {}, `HTTP ${status} ${statusText}`),
        headersView(responseHeaders),
        h("p", { class: "hint" }, "From another origin a page sees only the headers that CORS exposes."),
      );
    }
    if (end !== undefined && head.dataset["end"] === undefined) {
      head.dataset["end"] = end;
      head.append(...failureOf(exchange));
    }
    const fresh = dropped + received.length - drawn;
    drawn += fresh;
    if (fresh > 0) messages.append(...received.slice(-fresh).map((each) => messageView(exchange, each)));
    while (messages.childElementCount > received.length) messages.firstElementChild?.remove();
  };
  update();
  return { heading, element, update };
}

function linksOf({ number, round, links }: WireExchange): [what: string, to: number][] {
  const others = links.map(({ what, number }): [string, number] => [what, number]);
  if (round !== undefined && round.first !== number)
    others.push([`Round ${round.round} of the call that began in`, round.first]);
  return others;
}

function headersView(headers: readonly Field[], body?: unknown): HTMLElement {
  const rows = headers.map(([name, value]) => {
    const { plain = "not decodable", agrees } = mirrored(name, value, body) ?? { plain: value };
    return h(
      "div",
      { class: name.startsWith("mcp-") ? "mcp" : undefined },
      h("dt", {}, `${name}: `),
      h(
        "dd",
        {},
        ...cut(value, LONG_TEXT),
        plain === value ? undefined : h("b", {}, ` = ${plain}`),
        " ",
        agrees === undefined
          ? undefined
          : h("span", { class: agrees ? "chip calm" : "chip alarm" }, agrees ? "as in the body" : "not as in the body"),
      ),
    );
  });
  return h("dl", { class: "block" }, ...rows);
}

function bodyView(text: string): HTMLElement {
  const value = parsed(text);
  return value === undefined ? h("pre", { tabindex: 0 }, ...cut(text, LONG_TEXT)) : jsonView(value);
}

/** Opened when it is what was waited for; laid out when it is opened. */
function messageView({ isStream }: WireExchange, { at, text, label, event, id }: WireMessage): HTMLElement {
  const notes = [`+${at} ms`, event, id && `id ${id}`];
  const view = h(
    "details",
    {},
    h(
      "summary",
      {},
      h("span", { class: "chip" }, label),
      " ",
      h("span", { class: "hint" }, notes.filter(Boolean).join(" · ")),
    ),
  );
  view.addEventListener("toggle", () => {
    if (view.childElementCount > 1) return;
    const errors = messagesIn(parsed(text)).flatMap(({ error }) => (isObject(error) ? [error] : []));
    const told = errors.map(({ code, message, data }) =>
      failureBlock(new ProtocolError(Number(code), asText(message), data)),
    );
    view.append(h("div", { class: "stack" }, ...told, bodyView(text)));
  });
  view.open = !isStream || /^(?:response|input|tool|error)/.test(label);
  return view;
}

function failureOf(exchange: WireExchange): HTMLElement[] {
  const { end, status = 0, reason } = exchange;
  let code = reason === "" ? undefined : "aborted";
  if (end === "failed") code = "connection_failed";
  else if (end === "broken") code = "stream_ended";
  else if (isBad(exchange) && faultOf(exchange) === undefined) {
    code = status === 401 ? "unauthorized" : status === 403 ? "forbidden" : "http_error";
  }
  if (code === "aborted") return [h("p", { class: "hint" }, reason)];
  return code === undefined ? [] : [failureBlock(new McpError(code, reason))];
}
