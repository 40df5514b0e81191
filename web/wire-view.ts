/**
 * The wire behind the last call: every request and response of it, as sent.
 */
import { h } from "./dom.ts";
import type { WireExchange } from "./exchange.ts";

export function wireView(exchanges: readonly WireExchange[]): HTMLElement[] {
  if (exchanges.length === 0) return [h("p", { class: "empty" }, "Call the tool to see what goes over the wire.")];
  return exchanges.flatMap((exchange, index) => {
    const { pathname, search } = new URL(exchange.url);
    const count = exchanges.length > 1 ? ` ${index + 1} of ${exchanges.length}` : "";
    return [
      part(`Request${count}`, `POST ${pathname}${search}`, exchange.requestHeaders, exchange.requestBody),
      exchange.status === undefined
        ? h("p", { class: "empty" }, "No response yet, or none at all.")
        : part(`Response${count}`, `HTTP ${exchange.status}`, exchange.responseHeaders ?? [], exchange.responseBody),
    ];
  });
}

function part(title: string, line: string, headers: WireExchange["requestHeaders"], body: string): HTMLElement {
  const text = [line, ...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n");
  return h(
    "section",
    { class: "part" },
    h("h4", {}, title),
    h("pre", { tabindex: 0, role: "region", "aria-label": title }, text),
  );
}
