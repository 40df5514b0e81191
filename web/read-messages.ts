/**
 * The body of a reply, JSON or event stream, read piece by piece within limits until the response to one request is in it.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { EventStreamParser } from "./event-stream.ts";
import { type Outcome, toOutcome, type WireExchange } from "./exchange.ts";

/** Characters of a JSON body. A picture of 20 MB fits; more would only stall the tab. */
const MAX_JSON_LENGTH = 33_554_432;
/** Characters of a response that the wire view keeps. */
const MAX_SHOWN_LENGTH = 262_144;
/** Characters of a plain-text refusal that are shown. */
const MAX_REFUSAL_LENGTH = 500;

interface Reading {
  readonly id: number;
  readonly exchange: WireExchange;
  readonly onNotification: ((method: string, params: JsonObject) => void) | undefined;
}

/** @throws whatever reading throws, and {RangeError} beyond the limits */
export async function readMessages(response: Response, reading: Reading): Promise<Outcome> {
  const type = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type === "text/event-stream") return readStream(response, reading);
  let text = "";
  await readText(response, reading.exchange, (piece) => {
    text += piece;
    if (text.length > MAX_JSON_LENGTH) throw new RangeError("the reply is too long");
    return true;
  });
  const message = type === "application/json" ? parse(text) : undefined;
  const outcome = message === undefined ? undefined : toOutcome(message);
  if (outcome !== undefined) return outcome;
  const status = `${response.status} ${response.statusText}`.trim();
  if (!response.ok) return { kind: "refused", status, text: text.trim().slice(0, MAX_REFUSAL_LENGTH) };
  return {
    kind: "broken",
    reason: `the reply is not a JSON-RPC response (${status}, ${type || "without a media type"})`,
  };
}

async function readStream(response: Response, { id, exchange, onNotification }: Reading): Promise<Outcome> {
  let outcome: Outcome | undefined;
  const parser = new EventStreamParser((data) => {
    const message = parse(data);
    if (message === undefined || outcome !== undefined) return;
    if (message["id"] === id) outcome = toOutcome(message);
    else if (typeof message["method"] === "string" && isObject(message["params"])) {
      onNotification?.(message["method"], message["params"]);
    }
  });
  await readText(response, exchange, (piece) => {
    parser.push(piece);
    return outcome === undefined;
  });
  return outcome ?? { kind: "broken", reason: "the stream ended before the response came" };
}

/** Feeds decoded text to `take` until that returns false. The rest of the body is then cancelled. */
async function readText(response: Response, exchange: WireExchange, take: (piece: string) => boolean): Promise<void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    for (let more = reader !== undefined; more;) {
      const chunk = await reader?.read();
      const piece = decoder.decode(chunk?.value, { stream: chunk?.done === false });
      if (exchange.responseBody.length < MAX_SHOWN_LENGTH) {
        exchange.responseBody = (exchange.responseBody + piece).slice(0, MAX_SHOWN_LENGTH);
      }
      more = take(piece) && chunk?.done === false;
    }
  } finally {
    // A body that failed or has ended takes no notice of this.
    reader?.cancel().catch(() => undefined);
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
