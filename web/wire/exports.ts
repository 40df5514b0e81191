/**
 * Exchanges to take away: as a command, as JSON Lines, and as an HTTP Archive 1.2, which the developer tools of browsers open.
 *
 * Contract: what is masked or cut stays so. What a page cannot know (cookies, sizes on the wire, the version of HTTP) has the
 * values that the archive has for that.
 *
 * @see http://www.softwareishard.com/blog/har-12-spec/
 */
import { parsed } from "../../src/protocol/json-text.ts";
import type { Field, WireExchange } from "./exchange.ts";
import { messagesIn } from "./rpc.ts";

type Request = Pick<WireExchange, "method" | "url" | "requestHeaders" | "requestBody">;

/** For a POSIX shell: what comes is shown as it comes (-N), and brackets in the address are no patterns (-g). */
export function curlOf({ method, url, requestHeaders, requestBody }: Request): string {
  return [
    `curl -gN -X ${method} ${quoted(url)}`,
    // With a colon curl would take a header without a value away.
    ...requestHeaders.map(([name, value]) => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`),
    ...(requestBody === "" ? [] : [`--data-raw ${quoted(requestBody)}`]),
  ].join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A JSON-RPC message a line, in the order they came. What was cut is not among them. */
export function jsonLinesOf(exchanges: readonly WireExchange[]): string {
  const lines = exchanges.flatMap(({ number, startedAt, requestBody, received }) =>
    [{ at: 0, text: requestBody }, ...received].flatMap(({ at, text }, index) =>
      messagesIn(parsed(text)).map((message) => ({
        time: new Date(startedAt + at),
        exchange: number,
        direction: index === 0 ? "sent" : "received",
        message,
      })),
    ),
  );
  lines.sort((a, b) => Number(a.time) - Number(b.time));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

export function harOf(
  exchanges: readonly WireExchange[],
  creator: { readonly name: string; readonly version: string },
): object {
  return { log: { version: "1.2", creator, entries: exchanges.map(entryOf) } };
}

function entryOf(exchange: WireExchange): object {
  const { startedAt, method, url, requestHeaders, requestBody, status = 0, statusText, responseHeaders } = exchange;
  const { received, endedAt: time = received.at(-1)?.at ?? 0 } = exchange;
  const wait = received[0]?.at ?? time;
  const text = received.map((message) => (exchange.isStream ? eventText(message) : message.text)).join("");
  return {
    startedDateTime: new Date(startedAt),
    time,
    request: {
      method,
      url,
      queryString: fieldsOf(new URLSearchParams(url.split("?")[1])),
      ...side(requestHeaders),
      postData: requestBody === "" ? undefined : { mimeType: typeIn(requestHeaders), text: requestBody },
    },
    response: {
      status,
      statusText,
      redirectURL: "",
      ...side(responseHeaders),
      content: { size: new Blob([text]).size, mimeType: typeIn(responseHeaders), text },
    },
    cache: {},
    timings: { send: 0, wait, receive: time - wait },
  };
}

function side(headers: readonly Field[]): object {
  return { httpVersion: "unknown", cookies: [], headers: fieldsOf(headers), headersSize: -1, bodySize: -1 };
}

function fieldsOf(fields: Iterable<Field>): object[] {
  return Array.from(fields, ([name, value]) => ({ name, value }));
}

function typeIn(headers: readonly Field[]): string {
  return headers.find(([name]) => name === "content-type")?.[1] ?? "";
}

/** As it was on the wire. */
function eventText({ event, id, text }: WireExchange["received"][number]): string {
  const fields = Object.entries({ event, id, data: text.replaceAll("\n", "\ndata: ") });
  return `${fields.map(([name, value]) => (value === undefined ? "" : `${name}: ${value}\n`)).join("")}\n`;
}
