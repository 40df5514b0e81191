/**
 * Exchanges as an HTTP Archive 1.2, which the developer tools of browsers open.
 *
 * Contract: what is masked or cut stays so. What a page cannot know (cookies, sizes on the wire, the version of HTTP) has the
 * values that the format has for that.
 *
 * @see http://www.softwareishard.com/blog/har-12-spec/
 */
import type { Field, WireExchange } from "./exchange.ts";
import { bodyOf } from "./text-forms.ts";

export function harOf(exchanges: readonly WireExchange[], version: string): object {
  return { log: { version: "1.2", creator: { name: "mcp-edge", version }, entries: exchanges.map(entryOf) } };
}

function entryOf(exchange: WireExchange): object {
  const { startedAt, method, url, requestHeaders, requestBody, status = 0, statusText, responseHeaders } = exchange;
  const { received, headersAt, endedAt = received.at(-1)?.at ?? headersAt ?? 0 } = exchange;
  const wait = headersAt ?? endedAt;
  const receive = endedAt - wait;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const side = (headers: readonly Field[], bodySize: number): object => ({
    httpVersion: "unknown",
    cookies: [],
    headers: fieldsOf(headers),
    headersSize: -1,
    bodySize,
  });
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time: endedAt,
    request: {
      method,
      url: address?.href ?? url,
      queryString: fieldsOf(address?.searchParams ?? []),
      ...side(requestHeaders, exchange.requestSize),
      ...(requestBody !== "" && { postData: { mimeType: typeIn(requestHeaders), text: requestBody } }),
    },
    response: {
      status,
      statusText,
      redirectURL: "",
      ...side(responseHeaders, -1),
      content: { size: exchange.size, mimeType: typeIn(responseHeaders), text: bodyOf(exchange) },
    },
    cache: {},
    timings: { send: 0, wait, receive },
  };
}

function fieldsOf(fields: Iterable<Field>): object[] {
  return [...fields].map(([name, value]) => ({ name, value }));
}

export function typeIn(headers: readonly Field[]): string {
  return headers.find(([name]) => name === "content-type")?.[1] ?? "";
}
