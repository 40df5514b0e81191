/**
 * Calls as code: what a shell makes of the words for curl, what fetch is given, and what the client is asked to do.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type JsonObject, McpClient } from "../../src/client.ts";
import { codesOf, headersOf, LANGUAGES } from "../../web/tools/code.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const URL_ = "https://mcp.example/mcp?x=[1]&y={a,b}#'$(touch /tmp/x)";
const NASTY = `it's "quoted" \\ $(id) \`id\` \${1} !! %s \u2028 é 😀\nnext line\r\ttab \\"__proto__": {`;
const SCHEMA = {
  type: "object" as const,
  $schema: "urn:some-dialect",
  properties: {
    text: { type: "string", "x-mcp-header": "Text" },
    empty: { type: "string", "x-mcp-header": "Empty" },
    flag: { type: "boolean", "x-mcp-header": "Flag" },
    list: { type: "string", "x-mcp-header": "List" },
    none: { type: "string", "x-mcp-header": "None" },
    deep: { type: "object", properties: { n: { type: "integer", "x-mcp-header": "N" } } },
  },
};
const TOOL = { name: "grüße 'x'", inputSchema: SCHEMA };
const ARGS = JSON.parse(
  `{"text":${JSON.stringify(NASTY)},"empty":"","flag":false,"list":[1],"none":null,"deep":{"n":7}}`,
) as JsonObject;

function code(language: (typeof LANGUAGES)[number], args: JsonObject = ARGS): string {
  const headers = headersOf(TOOL, args);
  return codesOf({ url: URL_, name: TOOL.name, args, headers, secret: ["Authorization", "X-Key"] })[language];
}

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: JsonObject;
}

/** What the client of this package sends, as the page would. */
async function sentByClient(args: JsonObject = ARGS): Promise<Sent> {
  const seen: Sent[] = [];
  const client = new McpClient("https://mcp.example/mcp", {
    info: { name: "my-host", version: "1.0.0" },
    fetch: async (_input, init) => {
      const body = await new Response(init?.body).json<JsonObject>();
      seen.push({ headers: Object.fromEntries(new Headers(init?.headers)), body });
      const result = body["method"] === "tools/list" ? { tools: [TOOL] } : { content: [] };
      return Response.json({ jsonrpc: "2.0", id: body["id"], result });
    },
  });
  await client.listTools();
  await client.callTool(TOOL.name, args);
  const [, call] = seen;
  if (call === undefined) throw new Error("Nothing was called");
  return call;
}

/** The words that a shell passes on. */
function wordsOf(command: string): string[] {
  const script = command.replace(/^curl/, "printf '%s\\0'");
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("a shell makes of the words for curl the address, the headers and the body of the page's own request", async () => {
  const [options, , method, url, ...rest] = wordsOf(code("curl"));
  const headers = rest.flatMap((word, index) => (rest[index - 1] === "-H" ? word : []));
  expect(options).toBe("-gN");
  expect(method).toBe("POST");
  expect(url).toBe(URL_);
  expect(rest.at(-2)).toBe("--data-raw");
  const sent = await sentByClient();
  expect(JSON.parse(rest.at(-1) ?? "")).toEqual({ ...sent.body, id: 1 });
  // With a semicolon curl sends a header that has no value.
  const lines = Object.entries(sent.headers).map(([name, value]) => (value === "" ? `${name};` : `${name}: ${value}`));
  expect(headers.toSorted()).toEqual([...lines, "Authorization: SECRET", "X-Key: SECRET"].toSorted());
});

test("the headers mirror the method, the name and the arguments that have a header form", () => {
  const headers = Object.fromEntries(headersOf(TOOL, ARGS));
  expect(headers).toMatchObject({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "=?base64?Z3LDvMOfZSAneCc=?=",
    "mcp-param-empty": "",
    "mcp-param-flag": "false",
    "mcp-param-n": "7",
  });
  expect(headers["mcp-param-text"]).toMatch(/^=\?base64\?/);
  expect(Object.keys(headers).filter((name) => name.startsWith("mcp-param-"))).toHaveLength(4);
});

test("a tool whose annotations break the rules has no mirrored headers, and neither has one with a schema that is none", () => {
  const wrong = { type: "object" as const, properties: { x: { type: "number", "x-mcp-header": "X" } } };
  const none = null as unknown as typeof wrong; // What a server may send.
  for (const inputSchema of [wrong, none])
    expect(headersOf({ name: "t", inputSchema }, { x: 1 }).map(([name]) => name)).toEqual([
      "content-type",
      "accept",
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
    ]);
});

/** Runs it with what it takes for granted. */
async function evaluate(snippet: string, given: Readonly<Record<string, unknown>>): Promise<void> {
  const AsyncFunction = Object.getPrototypeOf(evaluate).constructor as FunctionConstructor; // It has no name of its own.
  const body = snippet.replace(/^import .*$/m, "");
  await (AsyncFunction(...Object.keys(given), body)(...Object.values(given)) as Promise<void>);
}

test("the code for fetch sends the page's own request", async () => {
  const calls: [unknown, RequestInit][] = [];
  const fetch = (url: unknown, init: RequestInit): Response => {
    calls.push([url, init]);
    return new Response("answer");
  };
  const logged: unknown[] = [];
  await evaluate(code("fetch"), { fetch, console: { log: (text: unknown) => logged.push(text) } });
  const [[url, init] = [undefined, {} as RequestInit]] = calls;
  expect(url).toBe(URL_);
  expect(init.method).toBe("POST");
  const sent = await sentByClient();
  // As a browser takes them: no character that a header cannot carry.
  expect(Object.fromEntries(new Headers(init.headers))).toEqual({
    ...sent.headers,
    authorization: "SECRET",
    "x-key": "SECRET",
  });
  expect(await new Response(init.body).text()).toBe(JSON.stringify({ ...sent.body, id: 1 }));
  expect(logged).toEqual(["answer"]);
});

test("the code for the client calls the tool with the same arguments, after it has listed the tools", async () => {
  const asked: unknown[] = [];
  class Fake {
    constructor(...options: unknown[]) {
      asked.push(options);
    }
    listTools(): void {
      asked.push("list");
    }
    callTool(...call: unknown[]): string {
      asked.push(JSON.stringify(call));
      return "result";
    }
  }
  await evaluate(code("client code"), { McpClient: Fake, console: { log: (text: unknown) => asked.push(text) } });
  const options = {
    info: { name: "my-host", version: "1.0.0" },
    headers: { Authorization: "SECRET", "X-Key": "SECRET" },
  };
  expect(asked).toEqual([[URL_, options], "list", JSON.stringify([TOOL.name, ARGS]), "result"]);
});

test("the code for the client compiles", async () => {
  // Inside the repository, where the types are found.
  await mkdir(join(ROOT, "node_modules/.cache"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "node_modules/.cache/tools-code-"));
  try {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: "esnext",
      moduleResolution: "bundler",
      allowImportingTsExtensions: true,
      target: "esnext",
      lib: ["esnext", "dom", "dom.iterable"],
      types: [],
      skipLibCheck: true,
      paths: { "mcp-edge/client": [join(ROOT, "src/client.ts")] },
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["full.ts", "bare.ts"] }));
    await writeFile(join(folder, "full.ts"), code("client code"));
    const bare = codesOf({ url: URL_, name: "t", args: {}, headers: [], secret: [] });
    await writeFile(join(folder, "bare.ts"), bare["client code"]);
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(
      (error: { stdout: string }) => error, // What does not compile is written there.
    );
    expect(stdout).toBe("");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);

test.each(LANGUAGES)("nothing secret is in the code for %s but the names of headers", (language) => {
  const text = code(language, {});
  expect(text).toMatch(/X-Key/);
  expect(text.match(/SECRET/g)).toHaveLength(2);
});
