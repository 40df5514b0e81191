/**
 * docs/client.md, taken at its word: every example compiles against the published entries, its host and what it says of
 * calls, questions, lists and listening run in Chromium under a strict Content-Security-Policy, and its Worker on workerd,
 * each with a server of ours.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFetchHandler, McpServer } from "../../src/index.ts";
import { type RunningServer, serve } from "../../src/node/serve.ts";
import { Subscriptions } from "../../src/subscriptions.ts";
import { launchChromium } from "./chromium.ts";
import { startWrangler } from "./wrangler-dev.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
/** Tells an end from a hang. */
const POLLING = { timeout: 20_000 };
const run = promisify(execFile);

/** What the page says that its examples take for granted, to the compiler and to a browser. */
const GIVEN_TYPES = `
declare const info: { readonly name: string; readonly version: string };
declare const client: import("mcp-edge/client").McpClient;
`;
const GIVEN = `
import { McpClient } from "mcp-edge/client";
globalThis.info = { name: "my-host", version: "1.0.0" };
globalThis.client = new McpClient(new URL("/mcp", location.href), { info });
`;

let folder: string;
/** By the heading that they stand under. */
let examples: { heading: string; code: string }[];
/** By specifier, the source file that an entry is built from. */
let sources: Record<string, string>;
let running: RunningServer;
let browser: Browser;

beforeAll(async () => {
  // Inside the repository, where the packages are found that the sources import.
  await mkdir(join(ROOT, "node_modules/.cache"), { recursive: true });
  folder = await mkdtemp(join(ROOT, "node_modules/.cache/client-docs-"));
  // Else it were part of this package, whose modules have no side effects.
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  examples = examplesIn(await readFile(join(ROOT, "docs/client.md"), "utf8"));
  sources = await entrySources();
  running = await serve({ fetch: answer });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await running?.close();
  await rm(folder, { recursive: true, force: true });
});

function examplesIn(page: string): { heading: string; code: string }[] {
  return page.split(/^#+ /m).flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    return [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => ({ heading, code }));
  });
}

function exampleOf(heading: string, index = 0): string {
  const found = examples.filter((example) => example.heading === heading)[index];
  if (found === undefined) throw new Error(`docs/client.md has no example ${index} under ${heading}`);
  return found.code;
}

async function entrySources(): Promise<Record<string, string>> {
  const { exports } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    exports: Record<string, { default: string }>;
  };
  const built = Object.entries(exports).map(([path, { default: file }]) => {
    return [`mcp-edge${path.slice(1)}`, join(ROOT, file.replace("./dist/", "src/").replace(/\.js$/, ".ts"))];
  });
  return Object.fromEntries(built) as Record<string, string>; // Pairs of strings.
}

const server = new McpServer({ name: "docs", version: "1.0.0" }, { subscriptions: new Subscriptions() });
const board = { type: "object", properties: { board: { type: "string", "x-mcp-header": "Board" } } } as const;
/** Without headers: a call of a tool that was not listed would make Chromium print the refusal that it is repeated after. */
const plainBoard = { type: "object", properties: { board: { type: "string" } } } as const;
const times = { type: "object", properties: { times: { type: "integer", default: 3 } } } as const;
const confirm = { type: "object", properties: { confirm: { type: "boolean" } } } as const;
server.tool("knock", {}, async (_args, ctx) => {
  const { content } = await ctx.elicit("times", { message: "Knock?", schema: times });
  for (let time = 1; time <= 3; time += 1) ctx.progress(time, 3);
  return `Knocked ${content?.times} times`;
});
server.tool("board_stats", { inputSchema: board }, (args) => ({
  content: [],
  structuredContent: { board: args.board, notes: 2 },
}));
server.tool("import_notes", { inputSchema: plainBoard, outputSchema: { type: "integer" } }, (_args, ctx) => {
  ctx.progress(1, 1);
  ctx.log("info", "not asked for");
  ctx.log("error", "no milk");
  return { content: [], structuredContent: 1 };
});
server.tool("delete_note", { inputSchema: plainBoard }, async (_args, ctx) => {
  const { content } = await ctx.elicit("confirm", { message: "Delete it?", schema: confirm });
  return `Deleted: ${content?.confirm}`;
});
server.tool("change", {}, async (_args, { notify }) => {
  await notify.resourceUpdated("board://kitchen");
  await notify.toolsChanged();
  return "Changed";
});
server.resource("board://kitchen", { name: "kitchen" }, () => "milk");
const mcp = createFetchHandler(server, { stateKeys: ["7c".repeat(32)] });

/** What the page loads, and the methods that the server was asked for. */
let script = "";
const asked: string[] = [];

async function answer(...call: Parameters<typeof mcp.fetch>): Promise<Response> {
  const [request] = call;
  const { pathname } = new URL(request.url);
  if (pathname === "/mcp") {
    asked.push(request.headers.get("mcp-method") ?? "");
    return mcp.fetch(...call);
  }
  const headers = { "content-security-policy": "default-src 'self'; img-src data:" };
  const isScript = pathname === "/app.js";
  const html = '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/app.js"></script>';
  return new Response(isScript ? script : html, {
    headers: { ...headers, "content-type": isScript ? "text/javascript" : "text/html" },
  });
}

/** Runs an example in a page. @returns the page and what it prints, a browser's complaints included */
async function visit(code: string): Promise<{ tab: Page; printed: string[] }> {
  asked.length = 0;
  await writeFile(join(folder, "given.js"), GIVEN);
  const here = code.replaceAll("https://mcp.example/mcp", `${running.url}/mcp`);
  const { outputFiles } = await build({
    stdin: { contents: `import "./given.js";\n${here}`, loader: "ts", resolveDir: folder },
    alias: sources,
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
  });
  script = outputFiles[0]?.text ?? "";
  const tab = await browser.newPage();
  const printed: string[] = [];
  tab.on("console", (message) => printed.push(message.text()));
  tab.on("pageerror", (error) => printed.push(error.message));
  tab.on("dialog", (dialog) => void dialog.accept());
  await tab.goto(running.url);
  return { tab, printed };
}

test("every example compiles", async () => {
  expect(examples.length).toBeGreaterThan(10);
  const paths = Object.fromEntries(Object.entries(sources).map(([name, file]) => [name, [file]]));
  const lib = ["es2024", "dom", "dom.iterable"];
  const compilerOptions = { lib, types: ["node"], rootDir: ROOT, noEmit: true, noUnusedLocals: false, paths };
  const tsconfig = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  await writeFile(join(folder, "given.d.ts"), GIVEN_TYPES);
  // Each a module of its own.
  const files = examples.map(({ code }, index) =>
    writeFile(join(folder, `example-${index}.ts`), `${code}export {};\n`),
  );
  await Promise.all(files);
  const { stdout } = await run(process.execPath, [TSC, "-p", folder]).catch(
    (error: unknown) => error as { stdout: string }, // As execFile rejects.
  );
  // Sources of the server's side are not made for the types of a browser; who installs the package has declarations.
  expect(stdout.split("\n").filter((line) => line.includes("/example-"))).toEqual([]);
});

test("the host runs", async () => {
  const { tab, printed } = await visit(exampleOf("Writing a client"));
  await expect.poll(() => tab.evaluate("document.body.textContent"), POLLING).toBe("Knocked 3 times");
  expect(await tab.title()).toBe("3 of 3");
  expect(printed).toEqual([]);
});

test("the call reports, logs and succeeds", async () => {
  const { printed } = await visit(`${exampleOf("Calls")}; console.log(result.structuredContent);`);
  await expect.poll(() => printed, POLLING).toEqual(["1 1", "error no milk", "1"]);
});

test("the question survives being stored, and is answered", async () => {
  const { printed } = await visit(`${exampleOf("Questions")}; console.log(result.content[0].text);`);
  await expect.poll(() => printed, POLLING).toEqual(["Deleted: true"]);
});

test("the cache does what is said of it", async () => {
  const { printed } = await visit(`${exampleOf("Lists and the cache")}; console.log("done");`);
  await expect.poll(() => printed, POLLING).toEqual(["done"]);
  expect(asked).toEqual(["tools/list", "tools/list"]);
});

test("the listener hears of changes", async () => {
  const { tab, printed } = await visit(exampleOf("Listening"));
  const granted = "{toolsListChanged: true, resourceSubscriptions: Array(1)}"; // As Chromium prints it.
  const joined = ["connecting", "live", granted];
  await expect.poll(() => printed, POLLING).toEqual(joined);
  await tab.evaluate('client.callTool("change")');
  await expect.poll(() => printed, POLLING).toEqual([...joined, "look again at board://kitchen", "toolsListChanged"]);
});

test("the Worker asks a server from workerd", async () => {
  await writeFile(join(folder, "worker.ts"), exampleOf("Writing a client", 1));
  const alias = Object.entries(sources).map(([name, file]) => `"${name}" = "${file}"`);
  const config = ['name = "docs"', 'main = "worker.ts"', 'compatibility_date = "2026-11-01"', "[alias]", ...alias];
  await writeFile(join(folder, "wrangler.toml"), config.join("\n"));
  const worker = await startWrangler(join(folder, "wrangler.toml"), { vars: { SERVER: `${running.url}/mcp` } });
  try {
    const response = await fetch(worker.url);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ board: "kitchen", notes: 2 });
  } finally {
    await worker.stop();
  }
});
