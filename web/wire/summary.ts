/** An exchange in a few words. */
import { sizeText } from "../results/media-view.ts";
import type { WireExchange } from "./exchange.ts";
import { typeIn } from "./har.ts";

const ENDS = { complete: "complete", cancelled: "closed by this page", broken: "broke off", failed: "failed" };

function labelled({ received }: WireExchange, kind: RegExp): string | undefined {
  return received.find(({ label }) => kind.test(label))?.label;
}

/** The first that was told. */
export function faultOf(exchange: WireExchange): string | undefined {
  return labelled(exchange, /^(?:tool )?error/);
}

export function isBad(exchange: WireExchange): boolean {
  const { end = "", status = 0 } = exchange;
  return /^[bf]/.test(end) || status >= 400 || faultOf(exchange) !== undefined;
}

export function stateOf(exchange: WireExchange): [tone: string, state: string] {
  const { end, headersAt } = exchange;
  if (end === undefined) return ["running", headersAt === undefined ? "waiting" : "open"];
  if (isBad(exchange)) return ["bad", (end.startsWith("c") && faultOf(exchange)) || ENDS[end]];
  if (end === "complete") return ["ok", end];
  return labelled(exchange, /^(?:response|input)/) === undefined
    ? ["warn", ENDS[end]]
    : ["ok", "answered, then closed"];
}

/** The kind of the answer and how much came. */
export function traffic({ isStream, received, dropped, size, responseHeaders }: WireExchange): string {
  const events = dropped + received.length;
  const type = typeIn(responseHeaders).replace(/^application\/|;.*/g, "");
  return size === 0
    ? ""
    : `${isStream ? `SSE, ${events} ${events === 1 ? "event" : "events"}` : type.toUpperCase()} · ${sizeText(size)}`;
}
