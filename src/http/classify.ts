/**
 * The ladder of design: which rung a request stops at, decided from plain data. No I/O, no clock, no `Request`.
 *
 * `classifyHead` judges what is known before the body, `classifyMessage` the message itself. Whatever comes out is either
 * the request to serve or a refusal with its HTTP status.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http
 */
import { clip, headerMismatch, type ProtocolError, unsupportedVersion } from "../protocol/errors.ts";
import { decodeHeaderValue } from "../protocol/header-value.ts";
import { type JsonRpcRequest, parseMessage } from "../protocol/json-rpc.ts";
import { claimedVersion, parseRequestMeta, type RequestMeta } from "../protocol/meta.ts";
import { MODERN_VERSION, SUPPORTED_VERSIONS } from "../protocol/versions.ts";
import { statusOf } from "./status.ts";

/** Header values by lower-case name; repeated lines joined with `, `, as Fetch does. */
export type HeaderReader = (name: string) => string | null;

/** What the client is able to read. */
export interface Accepts {
  readonly json: boolean;
  readonly eventStream: boolean;
}

export interface Refusal {
  readonly outcome: "refuse";
  readonly status: number;
  /** Goes into the body as a JSON-RPC error response; without one the body is a line of text. */
  readonly error: ProtocolError | undefined;
  /** The request's id as JSON text, where it could be read. */
  readonly id: string | undefined;
  readonly text?: string;
  readonly allow?: string;
}

export type HeadOutcome = Refusal | { readonly outcome: "read"; readonly accepts: Accepts };

export type MessageOutcome =
  | Refusal
  | { readonly outcome: "accept-notification" }
  | { readonly outcome: "serve"; readonly request: JsonRpcRequest; readonly meta: RequestMeta };

/** Everything up to the body. Preflight, Origin, Host and authentication are judged elsewhere, in their place around this. */
export function classifyMethod(method: string): Refusal | undefined {
  if (method === "POST") return undefined;
  // SHOULD — #earlier-streamable-http-revisions: GET and DELETE belong to the legacy revisions.
  return refuse(405, `Send JSON-RPC requests of revision ${MODERN_VERSION} with POST`, { allow: "POST" });
}

export function classifyHead(header: HeaderReader): HeadOutcome {
  const accepts = parseAccept(header("accept"));
  if (!accepts.json && !accepts.eventStream) {
    return refuse(406, "Accept: list application/json and text/event-stream");
  }
  if (mediaType(header("content-type") ?? "") !== "application/json") {
    // Also keeps out the content types that browsers send across origins without a preflight.
    return refuse(415, "Content-Type: must be application/json");
  }
  const encoding = header("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    return refuse(415, "Content-Encoding: send the body without compression");
  }
  return { outcome: "read", accepts };
}

export function classifyMessage(text: string, header: HeaderReader): MessageOutcome {
  const message = parseMessage(text);
  if (message.kind === "invalid") return refuseMessage(message.error, message.id);
  // Header rules for notifications are undefined in this revision, and there is none that means anything over HTTP.
  if (message.kind === "notification") return { outcome: "accept-notification" };

  const { id, params } = message;
  const claimed = claimedVersion(params);
  const versionHeader = header("mcp-protocol-version");
  if (claimed === undefined && !isModernHeader(versionHeader)) {
    return refuseMessage(legacyError(message, versionHeader), id);
  }
  const meta = parseRequestMeta(params);
  if (meta instanceof Error) return refuseMessage(meta, id);
  // MUST — #protocol-version-header: the header must be there and agree, before the version itself counts.
  if (versionHeader !== meta.version)
    return refuseMessage(mismatch("MCP-Protocol-Version", versionHeader, meta.version), id);
  if (!SUPPORTED_VERSIONS.includes(meta.version)) {
    return refuseMessage(unsupportedVersion(clip(meta.version), SUPPORTED_VERSIONS), id);
  }
  const wrongHeader = checkStandardHeaders(message, header);
  if (wrongHeader !== undefined) return refuseMessage(wrongHeader, id);
  return { outcome: "serve", request: message, meta };
}

/** MUST — #server-validation. */
function checkStandardHeaders({ method, params }: JsonRpcRequest, header: HeaderReader): ProtocolError | undefined {
  const methodHeader = header("mcp-method");
  if (methodHeader !== method) return mismatch("Mcp-Method", methodHeader, method);
  const source = NAME_SOURCE.get(method);
  if (source === undefined) return undefined;
  const name = params?.[source];
  if (typeof name !== "string") return undefined; // Not a value to mirror; the params check names the member.
  const nameHeader = header("mcp-name");
  if (nameHeader === name && isPlainMatch(name)) return undefined;
  const decoded = nameHeader === null ? null : decodeHeaderValue(nameHeader);
  return decoded === name ? undefined : mismatch("Mcp-Name", decoded === undefined ? nameHeader : decoded, name);
}

/** Which member `Mcp-Name` repeats. */
const NAME_SOURCE: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** The usual case, without decoding: ASCII that cannot be a sentinel. */
function isPlainMatch(name: string): boolean {
  return /^[\x21-\x7e]*$/.test(name) && !name.startsWith("=?");
}

function mismatch(header: string, sent: string | null, body: string): ProtocolError {
  if (sent === null) return headerMismatch(`Header mismatch: ${header} is missing`);
  return headerMismatch(
    `Header mismatch: ${header} ${JSON.stringify(clip(sent))} does not match ${JSON.stringify(clip(body))} in the body`,
  );
}

/** Dates compare as text. Anything from the first modern revision on is to be judged as modern. */
function isModernHeader(version: string | null): boolean {
  return version !== null && !(/^\d{4}-\d{2}-\d{2}$/.test(version) && version < MODERN_VERSION);
}

/** SHOULD — basic/versioning#backward-compatibility…: a legacy client has only this message to show. */
function legacyError({ method, params }: JsonRpcRequest, versionHeader: string | null): ProtocolError {
  const asked = method === "initialize" ? params?.["protocolVersion"] : undefined;
  const requested = typeof asked === "string" ? asked : versionHeader;
  if (requested !== null) return unsupportedVersion(clip(requested), SUPPORTED_VERSIONS);
  return headerMismatch(
    `Header mismatch: MCP-Protocol-Version is missing, and so is _meta; this server speaks ${SUPPORTED_VERSIONS.join(", ")}`,
  );
}

function refuseMessage(error: ProtocolError, id: string | undefined): Refusal {
  return { outcome: "refuse", status: statusOf("ladder", error.code), error, id };
}

export function refuse(status: number, text: string, more?: { allow?: string }): Refusal {
  return { outcome: "refuse", status, error: undefined, id: undefined, text, ...more };
}

const ZERO_WEIGHT = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i;

/** RFC 9110 section 12.5.1: the most specific range decides. No header means no preference. */
function parseAccept(accept: string | null): Accepts {
  if (accept === null || accept === DEFAULT_ACCEPT) return { json: true, eventStream: true };
  const ranges = new Map(accept.split(",").map((range) => [mediaType(range), !ZERO_WEIGHT.test(range)]));
  const takes = (type: string, family: string): boolean =>
    ranges.get(type) ?? ranges.get(family) ?? ranges.get("*/*") ?? false;
  return { json: takes("application/json", "application/*"), eventStream: takes("text/event-stream", "text/*") };
}

/** What MCP clients send, compared first. */
const DEFAULT_ACCEPT = "application/json, text/event-stream";

function mediaType(value: string): string {
  const end = value.indexOf(";");
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
}
