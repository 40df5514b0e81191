/** The exchanges, newest first, the rounds of one call below its first. Rows are changed in place, so focus stays. */
import { h } from "../dom.ts";
import { hrefTo } from "../route.ts";
import type { WireExchange } from "./exchange.ts";
import { faultOf, isBad, stateOf, traffic } from "./summary.ts";

interface Row {
  readonly item: HTMLElement;
  readonly link: HTMLElement;
  readonly rounds: HTMLElement;
  drawn: string;
}

export interface WireFilter {
  readonly text: string;
  /** A title, `"errors"` for what went wrong, or `""`. */
  readonly kind: string;
}

export class WireList {
  readonly element = h("ul", {});
  readonly #rows = new Map<number, Row>();

  /** @returns those that the filter lets through */
  draw(exchanges: readonly WireExchange[], filter: WireFilter, selected: number): WireExchange[] {
    const present = new Set(exchanges.map(({ number }) => number));
    for (const [number, { item, rounds }] of this.#rows) {
      if (present.has(number)) continue;
      this.#rows.delete(number);
      item.after(...rounds.children);
      item.remove();
    }
    const shown = exchanges.filter((exchange) => {
      const row = this.#rows.get(exchange.number) ?? this.#add(exchange);
      const summary = summaryOf(exchange);
      if (summary !== row.drawn) drawRow(row, exchange, summary);
      row.link.ariaCurrent = exchange.number === selected ? "page" : null;
      return !(row.link.hidden = !passes(exchange, summary, filter));
    });
    for (const { item } of this.#rows.values()) item.hidden = item.querySelector("a:not([hidden])") === null;
    return shown;
  }

  #add({ number, round }: WireExchange): Row {
    const link = h("a", { href: hrefTo("wire", `${number}`) });
    const rounds = h("ul", { "aria-label": "Further rounds" });
    const row: Row = { link, rounds, item: h("li", {}, link), drawn: "" };
    const first = this.#rows.get(round?.first ?? 0);
    this.#rows.set(number, row);
    if (first === undefined) this.element.prepend(row.item);
    else {
      first.rounds.append(row.item);
      first.item.append(first.rounds);
    }
    return row;
  }
}

function summaryOf(exchange: WireExchange): string {
  const { number, round, startedAt, endedAt } = exchange;
  const [, state] = stateOf(exchange);
  return [
    `#${number}`,
    round && `round ${round.round}`,
    new Date(startedAt).toTimeString().slice(0, 8),
    endedAt !== undefined && `${endedAt} ms`,
    traffic(exchange),
    state !== "complete" && state !== faultOf(exchange) && state,
  ]
    .filter(Boolean)
    .join(" · ");
}

function drawRow(row: Row, exchange: WireExchange, summary: string): void {
  const { title, name, status } = exchange;
  row.drawn = summary;
  const look = isBad(exchange) ? "chip alarm" : "chip";
  row.link.replaceChildren(
    h("span", { class: "title" }, title, " ", h("code", {}, name)),
    h("span", { class: look }, [status || "–", faultOf(exchange)].filter(Boolean).join(" ")),
    h("span", { class: "hint" }, summary),
  );
}

function passes(exchange: WireExchange, summary: string, { text, kind }: WireFilter): boolean {
  if (kind === "errors" ? !isBad(exchange) : kind !== "" && exchange.title !== kind) return false;
  if (text === "") return true;
  const { title, name, status, url, requestBody, received } = exchange;
  const texts = [
    `${title} ${name} ${status} ${url} ${summary}`,
    requestBody,
    ...received.map((message) => message.text),
  ];
  return texts.some((each) => each.toLowerCase().includes(text.toLowerCase()));
}
