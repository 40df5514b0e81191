/** Exchanges as text: JSON Lines, a command for curl, and as they look on the wire. */
import type { Field, WireExchange, WireMessage } from "./exchange.ts";
import { messagesIn, parsed } from "./rpc.ts";

/** A JSON-RPC message a line, in the order they came. What was cut is not among them. */
export function jsonLinesOf(exchanges: readonly WireExchange[]): string {
  const lines: { time: string; exchange: number; direction: string; message: unknown }[] = [];
  for (const { number, startedAt, requestBody, received } of exchanges) {
    const add = (direction: string, text: string, at = 0): void => {
      const time = new Date(startedAt + at).toISOString();
      for (const message of messagesIn(parsed(text))) lines.push({ time, exchange: number, direction, message });
    };
    add("sent", requestBody);
    for (const { text, at } of received) add("received", text, at);
  }
  lines.sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const asLines = (headers: readonly Field[]): string[] => headers.map((field) => field.join(": "));
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** For a POSIX shell. */
export function curlOf({ method, url, requestHeaders, requestBody }: WireExchange): string {
  return [
    `curl -N -X ${method} ${quoted(url)}`,
    ...asLines(requestHeaders).map((line) => `-H ${quoted(line)}`),
    ...(requestBody === "" ? [] : [`--data-raw ${quoted(requestBody)}`]),
  ].join(" \\\n  ");
}

export function rawOf(exchange: WireExchange): string {
  const { method, url, requestHeaders, requestBody, status, statusText, responseHeaders } = exchange;
  const request = [`${method} ${url}`, ...asLines(requestHeaders), "", requestBody];
  if (status === undefined) return request.join("\n");
  return [...request, "", `HTTP ${status} ${statusText}`, ...asLines(responseHeaders), "", bodyOf(exchange)].join("\n");
}

/** What is kept of the response's. */
export function bodyOf({ isStream, received }: WireExchange): string {
  return received.map((message) => (isStream ? eventText(message) : message.text)).join("");
}

function eventText({ event, id, text }: WireMessage): string {
  const fields = Object.entries({ event, id, data: text.replaceAll("\n", "\ndata: ") });
  return `${fields.map(([name, value]) => (value === undefined ? "" : `${name}: ${value}\n`)).join("")}\n`;
}
