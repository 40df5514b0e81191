import { describe, expect, test } from "vitest";
import {
  classifyHead,
  classifyMessage,
  classifyMethod,
  type HeadOutcome,
  type MessageOutcome,
} from "../../src/http/classify.ts";

const BOTH = "application/json, text/event-stream";

const reader =
  (headers: Readonly<Record<string, string | undefined>>) =>
  (name: string): string | null =>
    headers[name] ?? null;

/** An outcome in one line: what a sheet of rows can hold. */
function headline(outcome: HeadOutcome): string {
  if (outcome.outcome === "refuse") return String(outcome.status);
  const { json, eventStream } = outcome.accepts;
  return `read, for ${[json && "json", eventStream && "stream"].filter(Boolean).join("+")}`;
}

function verdict(outcome: MessageOutcome): string {
  if (outcome.outcome !== "refuse") return outcome.outcome;
  return `${outcome.status} ${outcome.error?.code} ${outcome.id ?? "no id"}`;
}

describe("methods", () => {
  test.each(["GET", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS", "post", ""])(
    "%j is 405, with the method to use",
    (method) => {
      expect(classifyMethod(method)).toMatchObject({ status: 405, allow: "POST", error: undefined });
    },
  );

  test("POST goes on", () => {
    expect(classifyMethod("POST")).toBeUndefined();
  });
});

interface HeadRow {
  name: string;
  accept?: string | undefined;
  type?: string | undefined;
  encoding?: string;
  expect: string;
  because: string;
}

const HEADS: HeadRow[] = [
  // HDR-08.
  { name: "what clients send", accept: BOTH, expect: "read, for json+stream", because: "MUST list both" },
  { name: "anything", accept: "*/*", expect: "read, for json+stream", because: "a wildcard covers both" },
  {
    name: "wildcards of each type",
    accept: "application/*, text/*",
    expect: "read, for json+stream",
    because: "as above",
  },
  {
    name: "weights",
    accept: "text/event-stream;q=0.9, application/json;q=1",
    expect: "read, for json+stream",
    because: "a weight above zero is a yes",
  },
  {
    name: "the other order",
    accept: "text/event-stream, application/json",
    expect: "read, for json+stream",
    because: "order says nothing",
  },
  {
    name: "capitals",
    accept: "Application/JSON, TEXT/Event-Stream",
    expect: "read, for json+stream",
    because: "types have no case",
  },
  {
    name: "no spaces",
    accept: "application/json,text/event-stream",
    expect: "read, for json+stream",
    because: "they are optional",
  },
  {
    name: "parameters",
    accept: "application/json; charset=utf-8, text/event-stream",
    expect: "read, for json+stream",
    because: "no reason to refuse",
  },
  {
    name: "other types beside",
    accept: `text/html, ${BOTH}, image/*`,
    expect: "read, for json+stream",
    because: "more is fine",
  },
  {
    name: "JSON alone",
    accept: "application/json",
    expect: "read, for json",
    because: "serve a type the client named",
  },
  {
    name: "streams alone",
    accept: "text/event-stream",
    expect: "read, for stream",
    because: "serve a type the client named",
  },
  {
    name: "a type it refuses",
    accept: "application/json, text/event-stream;q=0",
    expect: "read, for json",
    because: "a weight of zero is a no",
  },
  {
    name: "a weight of 0.000",
    accept: "application/json;q=0.000, text/event-stream",
    expect: "read, for stream",
    because: "also zero",
  },
  {
    name: "a weight of 0.001",
    accept: "application/json;q=0.001, text/event-stream;q=0",
    expect: "read, for json",
    because: "not zero",
  },
  { name: "no preference", accept: undefined, expect: "read, for json+stream", because: "no header is no preference" },
  { name: "HTML alone", accept: "text/html", expect: "406", because: "there is no HTML to send" },
  { name: "an empty header", accept: "", expect: "406", because: "it names nothing" },
  {
    name: "a look-alike",
    accept: "application/jsonp, text/event-streams",
    expect: "406",
    because: "types are compared whole",
  },
  { name: "everything at weight zero", accept: "*/*;q=0", expect: "406", because: "nothing is acceptable" },
  // HDR-09.
  {
    name: "a charset",
    type: "application/json; charset=utf-8",
    expect: "read, for json+stream",
    because: "a parameter is no other type",
  },
  {
    name: "capitals in the type",
    type: "Application/JSON;charset=UTF-8",
    expect: "read, for json+stream",
    because: "types have no case",
  },
  {
    name: "an empty parameter",
    type: "application/json;",
    expect: "read, for json+stream",
    because: "lenient where nothing is at stake",
  },
  { name: "plain text", type: "text/plain", expect: "415", because: "pages may send it without a preflight" },
  { name: "no type", type: undefined, expect: "415", because: "pages may send that without a preflight too" },
  { name: "an empty type", type: "", expect: "415", because: "it names nothing" },
  { name: "a patch", type: "application/json-patch+json", expect: "415", because: "another type, sharing a prefix" },
  {
    name: "JSON in a parameter",
    type: "text/plain; x=application/json",
    expect: "415",
    because: "a safelisted type in disguise",
  },
  {
    name: "a form",
    type: "application/x-www-form-urlencoded",
    expect: "415",
    because: "pages may send it without a preflight",
  },
  {
    name: "two types",
    type: "application/json, text/plain",
    expect: "415",
    because: "repeated lines are joined and mean neither",
  },
  // RPC-09.
  { name: "a gzipped body", encoding: "gzip", expect: "415", because: "it is not unpacked here" },
  { name: "an unknown encoding", encoding: "x", expect: "415", because: "it cannot be unpacked" },
  { name: "identity, named", encoding: "Identity", expect: "read, for json+stream", because: "that is no encoding" },
];

describe("what is known before the body", () => {
  test.each(HEADS)("$name: $expect, because $because", (row) => {
    const accept = "accept" in row ? row.accept : BOTH;
    const type = "type" in row ? row.type : "application/json";
    const header = reader({ accept, "content-type": type, "content-encoding": row.encoding });
    expect(headline(classifyHead(header))).toBe(row.expect);
  });

  test("a client that can read no answer is told so before its content type is", () => {
    expect(headline(classifyHead(reader({ accept: "text/html", "content-type": "text/plain" })))).toBe("406");
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const versioned = (version: unknown): object => ({ ...META, "io.modelcontextprotocol/protocolVersion": version });
const HEADERS = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo" };
const CALL = { name: "echo", arguments: {}, _meta: META };

const message = (method: unknown, params?: unknown, id: unknown = 7): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const legacy = (method: string, params?: unknown): string => message(method, params);

interface MessageRow {
  name: string;
  input: { text: string; headers: Readonly<Record<string, string | undefined>> };
  expect: string;
  because: string;
}

const row = (
  name: string,
  text: string,
  headers: Readonly<Record<string, string | undefined>>,
  [expect, because]: [expect: string, because: string],
): MessageRow => ({ name, input: { text, headers }, expect, because });

const call = message("tools/call", CALL);

const MESSAGES: MessageRow[] = [
  row("a complete call", call, HEADERS, ["serve", "everything agrees"]),
  row("a method of its own", message("x/y", { _meta: META }), { ...HEADERS, "mcp-method": "x/y" }, [
    "serve",
    "whether it exists is for the server to say",
  ]),
  row("invalid JSON", "{", HEADERS, ["400 -32700 no id", "there is no id to read"]),
  row("a batch", `[${call}]`, HEADERS, ["400 -32600 no id", "one message a POST"]),
  row("a bad envelope", '{"id":7,"method":"tools/call"}', HEADERS, [
    "400 -32600 7",
    "jsonrpc is missing, the id is not",
  ]),
  row("a notification", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}', {}, [
    "accept-notification",
    "header rules for notifications are undefined",
  ]),
  row("an unknown notification", '{"jsonrpc":"2.0","method":"notifications/no_such"}', HEADERS, [
    "accept-notification",
    "receivers ignore what they do not know",
  ]),

  // HDR-03.
  row("no version header", call, { ...HEADERS, "mcp-protocol-version": undefined }, ["400 -32020 7", "MUST be there"]),
  row("no Mcp-Method", call, { ...HEADERS, "mcp-method": undefined }, ["400 -32020 7", "MUST be there"]),
  row("no Mcp-Name", call, { ...HEADERS, "mcp-name": undefined }, ["400 -32020 7", "MUST be there for tools/call"]),
  row("another version in the header", call, { ...HEADERS, "mcp-protocol-version": "2025-11-25" }, [
    "400 -32020 7",
    "header and body disagree",
  ]),
  row("another method in the header", call, { ...HEADERS, "mcp-method": "tools/list" }, [
    "400 -32020 7",
    "header and body disagree",
  ]),
  row("the method in capitals", call, { ...HEADERS, "mcp-method": "Tools/Call" }, [
    "400 -32020 7",
    "values are case-sensitive",
  ]),
  row("another name in the header", call, { ...HEADERS, "mcp-name": "other" }, [
    "400 -32020 7",
    "header and body disagree",
  ]),
  row("the name in capitals", call, { ...HEADERS, "mcp-name": "Echo" }, ["400 -32020 7", "values are case-sensitive"]),
  row("an empty name in the header", call, { ...HEADERS, "mcp-name": "" }, [
    "400 -32020 7",
    "header and body disagree",
  ]),
  row("a stray Mcp-Name", message("tools/list", { _meta: META }), { ...HEADERS, "mcp-method": "tools/list" }, [
    "serve",
    "no rule forbids it",
  ]),
  row(
    "no name for a prompt",
    message("prompts/get", CALL),
    { ...HEADERS, "mcp-method": "prompts/get", "mcp-name": undefined },
    ["400 -32020 7", "MUST be there for prompts/get"],
  ),
  row(
    "a resource under its URI",
    message("resources/read", { uri: "note://a/1", name: "x", _meta: META }),
    { ...HEADERS, "mcp-method": "resources/read", "mcp-name": "note://a/1" },
    ["serve", "resources/read mirrors the uri"],
  ),
  row(
    "a resource under another member",
    message("resources/read", { uri: "note://a/1", name: "x", _meta: META }),
    { ...HEADERS, "mcp-method": "resources/read", "mcp-name": "x" },
    ["400 -32020 7", "resources/read mirrors the uri, not a name"],
  ),
  row(
    "an encoded name",
    message("tools/call", { ...CALL, name: "grüße" }),
    { ...HEADERS, "mcp-name": "=?base64?Z3LDvMOfZQ==?=" },
    ["serve", "MUST decode before comparing"],
  ),
  row("a plain name, encoded", call, { ...HEADERS, "mcp-name": "=?base64?ZWNobw==?=" }, [
    "serve",
    "MUST decode before comparing",
  ]),
  row("a name with spaces inside", message("tools/call", { ...CALL, name: "a b" }), { ...HEADERS, "mcp-name": "a b" }, [
    "serve",
    "white space inside needs no encoding",
  ]),
  row("a raw Latin-1 name", message("tools/call", { ...CALL, name: "grüße" }), { ...HEADERS, "mcp-name": "grüße" }, [
    "400 -32020 7",
    "invalid characters in a header",
  ]),
  row("bad padding", call, { ...HEADERS, "mcp-name": "=?base64?ZWNobw?=" }, ["400 -32020 7", "not Base64"]),
  row(
    "a name like the sentinel, plain",
    message("tools/call", { ...CALL, name: "=?base64?ZWNobw==?=" }),
    { ...HEADERS, "mcp-name": "=?base64?ZWNobw==?=" },
    ["400 -32020 7", "MUST be encoded again"],
  ),
  row("a name that is no string", message("tools/call", { ...CALL, name: 5 }), { ...HEADERS, "mcp-name": "5" }, [
    "serve",
    "the params check names the member",
  ]),
  // HDR-04: Fetch joins repeated lines.
  row("two methods", call, { ...HEADERS, "mcp-method": "tools/list, tools/call" }, [
    "400 -32020 7",
    "one of the two was read by somebody else",
  ]),
  row("the method twice", call, { ...HEADERS, "mcp-method": "tools/call, tools/call" }, [
    "400 -32020 7",
    "not the value in the body",
  ]),
  row("two versions", call, { ...HEADERS, "mcp-protocol-version": "2026-07-28, 2026-07-28" }, [
    "400 -32020 7",
    "not the value in the body",
  ]),
  // RPC-08.
  row(
    "a duplicate name, header for the first",
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","name":"admin","_meta":${JSON.stringify(META)}}}`,
    HEADERS,
    ["400 -32020 7", "the tool that would run is not the one in the header"],
  ),
  row("a name of other case beside", message("tools/call", { ...CALL, Name: "admin" }), HEADERS, [
    "serve",
    "members have case, so Name is nothing",
  ]),

  // META-01 and META-02.
  row("no params", message("tools/call"), HEADERS, ["400 -32602 7", "a modern header makes it a modern request"]),
  row("empty _meta", message("tools/call", { ...CALL, _meta: {} }), HEADERS, ["400 -32602 7", "as above"]),
  row("a numeric version", message("tools/call", { ...CALL, _meta: versioned(20260728) }), HEADERS, [
    "400 -32602 7",
    "malformed",
  ]),
  row(
    "no capabilities",
    message("tools/call", { ...CALL, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }),
    HEADERS,
    ["400 -32602 7", "required on every request"],
  ),
  row(
    "a later version",
    message("tools/call", { ...CALL, _meta: versioned("2027-01-01") }),
    { ...HEADERS, "mcp-protocol-version": "2027-01-01" },
    ["400 -32022 7", "not spoken here"],
  ),
  row(
    "an early version",
    message("tools/call", { ...CALL, _meta: versioned("1900-01-01") }),
    { ...HEADERS, "mcp-protocol-version": "1900-01-01" },
    ["400 -32022 7", "not spoken here"],
  ),
  row(
    "an empty version",
    message("tools/call", { ...CALL, _meta: versioned("") }),
    { ...HEADERS, "mcp-protocol-version": "" },
    ["400 -32022 7", "a version like any other unknown one"],
  ),
  row("a later version in the header alone", call, { ...HEADERS, "mcp-protocol-version": "2027-01-01" }, [
    "400 -32020 7",
    "agreement comes before support",
  ]),
  row(
    "an unknown version and a wrong method",
    message("tools/call", { ...CALL, _meta: versioned("2027-01-01") }),
    { "mcp-protocol-version": "2027-01-01", "mcp-method": "x" },
    ["400 -32022 7", "another revision may have other header rules"],
  ),

  // ERA-03 and ERA-04.
  row("a handshake", legacy("initialize", { protocolVersion: "2025-11-25", capabilities: {} }), {}, [
    "400 -32022 7",
    "a legacy client learns what is spoken here",
  ]),
  row(
    "a handshake under its header",
    legacy("initialize", { protocolVersion: "2025-11-25" }),
    { "mcp-protocol-version": "2025-11-25" },
    ["400 -32022 7", "as above"],
  ),
  row("a handshake without a version", legacy("initialize"), {}, ["400 -32020 7", "no version in header or body"]),
  row(
    "a legacy call in a session",
    legacy("tools/call", { name: "echo" }),
    { "mcp-protocol-version": "2025-06-18", "mcp-session-id": "s" },
    ["400 -32022 7", "sessions belong to another era"],
  ),
  row("a call without any version", legacy("tools/call", { name: "echo" }), {}, [
    "400 -32020 7",
    "MUST reject a request without the header",
  ]),
  row("a modern ping", message("ping", { _meta: META }), { ...HEADERS, "mcp-method": "ping" }, [
    "serve",
    "the server answers that there is no such method",
  ]),
  row("a session id on a modern call", call, { ...HEADERS, "mcp-session-id": "s", "last-event-id": "9" }, [
    "serve",
    "SHOULD ignore it",
  ]),
];

describe("the message", () => {
  test.each(MESSAGES)("$name: $expect, because $because", ({ input, expect: expected }) => {
    expect(verdict(classifyMessage(input.text, reader(input.headers)))).toBe(expected);
  });

  test("what is served carries the request and its metadata", () => {
    const outcome = classifyMessage(call, reader(HEADERS));
    expect(outcome).toMatchObject({
      request: { id: "7", method: "tools/call", params: CALL },
      meta: { version: "2026-07-28", capabilities: {} },
    });
  });

  test.each(["2027-01-01", "1900-01-01", ""])("an unsupported %j is repeated beside what is supported", (version) => {
    const text = message("tools/call", { ...CALL, _meta: versioned(version) });
    const outcome = classifyMessage(text, reader({ ...HEADERS, "mcp-protocol-version": version }));
    expect(outcome).toMatchObject({ error: { data: { requested: version, supported: ["2026-07-28"] } } });
  });

  test.each([
    ["a handshake", legacy("initialize", { protocolVersion: "2025-11-25" }), {}],
    ["a handshake without a version", legacy("initialize"), {}],
    ["a session's call", legacy("tools/list"), { "mcp-protocol-version": "2025-06-18" }],
  ])("%s is told in words which revision is spoken here", (_, text, headers) => {
    const outcome = classifyMessage(text, reader(headers));
    expect(outcome.outcome === "refuse" && outcome.error?.message).toContain("2026-07-28");
  });

  test("long values of a stranger are cut before they are repeated", () => {
    const outcome = classifyMessage(call, reader({ ...HEADERS, "mcp-name": "x".repeat(100_000) }));
    expect(outcome.outcome === "refuse" && outcome.error?.message.length).toBeLessThan(500);
  });
});
