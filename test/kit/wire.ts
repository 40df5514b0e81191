/**
 * Replies as a client reads them: the status, the one JSON-RPC response, and the notifications that came before it.
 *
 * Strict on purpose: a reply that a client could not make sense of throws here, so every test that reads one checks the
 * framing as well.
 */
export type WireObject = Record<string, unknown>;

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A JSON-RPC response; without an id where none could be read. */
export interface WireMessage {
  readonly jsonrpc: "2.0";
  readonly id?: unknown;
  readonly result?: WireObject;
  readonly error?: WireError;
}

export interface WireNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params: WireObject;
}

export interface WireReply {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text. */
  readonly text: string;
  /** Undefined for a body that is not JSON-RPC, such as a 202 or a line of text. */
  readonly message: WireMessage | undefined;
  readonly notifications: readonly WireNotification[];
}

/** Reads a whole reply, JSON or event stream. @throws when the body is not what its media type says */
export async function readReply(response: Response): Promise<WireReply> {
  const { status, headers } = response;
  const text = await response.text();
  const type = headers.get("content-type");
  if (type === "application/json") return { status, headers, text, message: asResponse(text), notifications: [] };
  if (type !== "text/event-stream") return { status, headers, text, message: undefined, notifications: [] };
  const events = eventsOf(text);
  const last = events.pop();
  if (last === undefined) throw new Error("the stream ended without a response");
  return { status, headers, text, message: asResponse(last), notifications: events.map(asNotification) };
}

/** The data of each event. @throws for a field other than `data`, an event of several lines, or an unfinished event */
export function eventsOf(stream: string): string[] {
  const blocks = stream.split("\n\n");
  if (blocks.pop() !== "") throw new Error(`the stream ends inside an event: ${stream.slice(-80)}`);
  return blocks.flatMap((block) => {
    if (block.startsWith(":")) return []; // A comment that keeps the connection alive.
    if (!/^data: [^\r\n]*$/.test(block)) throw new Error(`not one line of data: ${block}`);
    return [block.slice("data: ".length)];
  });
}

/** The result. @throws when the reply is an error, or none */
export function resultOf({ status, text, message }: WireReply): WireObject {
  if (message?.result === undefined) throw new Error(`no result, but ${status} ${text}`);
  return message.result;
}

/** The error. @throws when the reply is a result, or none */
export function errorOf({ status, text, message }: WireReply): WireError {
  if (message?.error === undefined) throw new Error(`no error, but ${status} ${text}`);
  return message.error;
}

/** The text of a result whose content is one text block. @throws otherwise */
export function textOf(reply: WireReply): string {
  const { content } = resultOf(reply);
  const [block, ...others]: unknown[] = Array.isArray(content) ? content : [];
  if (!isObject(block) || typeof block["text"] !== "string" || others.length > 0) {
    throw new Error(`not one text block: ${reply.text}`);
  }
  return block["text"];
}

export function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): WireObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || value["jsonrpc"] !== "2.0") throw new Error(`not JSON-RPC: ${text}`);
  return value;
}

function asResponse(text: string): WireMessage {
  const value = parse(text);
  const { result, error } = value;
  if ((result === undefined) === (error === undefined)) throw new Error(`neither result nor error alone: ${text}`);
  if (result !== undefined && (!isObject(result) || typeof result["resultType"] !== "string")) {
    throw new Error(`not a result: ${text}`);
  }
  if (
    error !== undefined &&
    (!isObject(error) || !Number.isInteger(error["code"]) || typeof error["message"] !== "string")
  ) {
    throw new Error(`not an error: ${text}`);
  }
  return value as unknown as WireMessage; // Its members were just checked.
}

function asNotification(text: string): WireNotification {
  const value = parse(text);
  if (Object.hasOwn(value, "id") || typeof value["method"] !== "string" || !isObject(value["params"])) {
    throw new Error(`not a notification: ${text}`);
  }
  return value as unknown as WireNotification; // As above.
}
