/**
 * docs/client.md, taken at its word: every example compiles against the entries that package.json names, its host runs in
 * Chromium under a strict Content-Security-Policy, and its Worker on workerd, each against a server of ours.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFetchHandler, McpServer } from "../../src/index.ts";
import { serve } from "../../src/node/serve.ts";
import { launchChromium } from "./chromium.ts";
import { startWrangler } from "./wrangler-dev.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const run = promisify(execFile);

/** What the page says that its examples take for granted. */
const GIVEN = `
declare const info: { readonly name: string; readonly version: string };
declare const client: import("mcp-edge/client").McpClient;
`;

let folder: string;
let examples: string[];
let sources: Record<string, string>;
beforeAll(async () => {
  // Inside the repository, where the packages are found that the sources import.
  await mkdir(join(ROOT, "node_modules/.cache"), { recursive: true });
  folder = await mkdtemp(join(ROOT, "node_modules/.cache/client-docs-"));
  const page = await readFile(join(ROOT, "docs/client.md"), "utf8");
  examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  sources = await entrySources();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** By specifier, the source file that a published entry is built from. */
async function entrySources(): Promise<Record<string, string>> {
  const { exports } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    exports: Record<string, { default: string }>;
  };
  return Object.fromEntries(
    Object.entries(exports).map(([path, { default: file }]) => [
      `mcp-edge${path.slice(1)}`,
      join(ROOT, file.replace("./dist/", "src/").replace(/\.js$/, ".ts")),
    ]),
  );
}

test("every example compiles", async () => {
  expect(examples.length).toBeGreaterThan(10);
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node"],
    rootDir: ROOT,
    noEmit: true,
    declaration: false,
    paths: Object.fromEntries(Object.entries(sources).map(([name, file]) => [name, [file]])),
  };
  const tsconfig = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  await writeFile(join(folder, "given.d.ts"), GIVEN);
  // Each a module of its own, whose last lines may leave things unused.
  const unused = ["// @ts-nocheck"].slice(1).join("");
  await Promise.all(
    examples.map((code, index) => writeFile(join(folder, `example-${index}.ts`), `${unused}${code}\nexport {};\n`)),
  );
  const { stdout } = await run(process.execPath, [TSC, "-p", folder, "--noUnusedLocals", "false"]).catch(
    (error: unknown) => error as { stdout: string }, // As execFile rejects.
  );
  expect(stdout).toBe("");
});

test("the host runs in a page whose policy lets nothing else in", async () => {
  const server = new McpServer({ name: "docs", version: "1.0.0" });
  const sure = { type: "object", properties: { times: { type: "integer", default: 3 } } } as const;
  server.tool("knock", { outputSchema: { type: "integer" } }, async (_args, ctx) => {
    const { content } = await ctx.elicit("times", { message: "Knock?", schema: sure });
    const times = content?.times ?? 0;
    for (let time = 1; time <= times; time++) ctx.progress(time, times);
    return times;
  });
  const { outputFiles } = await build({
    stdin: { contents: examples[0] ?? "", loader: "ts", resolveDir: folder },
    alias: sources,
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
  });
  const mcp = createFetchHandler(server, { stateKeys: ["7c".repeat(32)] });
  const page = '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/app.js"></script>';
  const policy = { "content-security-policy": "default-src 'self'; img-src data:" };
  const running = await serve({
    async fetch(request, env, ctx) {
      const { pathname } = new URL(request.url);
      if (pathname === "/mcp") return mcp.fetch(request, env, ctx);
      const [type, body] =
        pathname === "/app.js" ? ["text/javascript", outputFiles[0]?.text ?? ""] : ["text/html", page];
      return new Response(body, { headers: { ...policy, "content-type": type } });
    },
  });
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage();
    const complaints: string[] = [];
    tab.on("console", (message) => complaints.push(message.text()));
    tab.on("pageerror", (error) => complaints.push(error.message));
    tab.on("dialog", (dialog) => void dialog.accept());
    await tab.goto(running.url);
    await expect.poll(() => tab.evaluate("document.body.textContent"), { timeout: 30_000 }).toBe("3");
    expect(await tab.title()).toBe("3 of 3");
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
    await running.close();
  }
});

test("the Worker asks a server from workerd", async () => {
  const server = new McpServer({ name: "docs", version: "1.0.0" });
  const board = { type: "object", properties: { board: { type: "string", "x-mcp-header": "Board" } } } as const;
  server.tool("board_stats", { inputSchema: board }, ({ board: name = "" }) => ({ board: name, notes: 2 }));
  const running = await serve(createFetchHandler(server));
  await writeFile(join(folder, "worker.ts"), examples[1] ?? "");
  const config = [
    'name = "docs"',
    'main = "worker.ts"',
    'compatibility_date = "2026-11-01"',
    "[alias]",
    ...Object.entries(sources).map(([name, file]) => `"${name}" = "${file}"`),
  ];
  await writeFile(join(folder, "wrangler.toml"), config.join("\n"));
  try {
    const worker = await startWrangler(join(folder, "wrangler.toml"), { vars: { SERVER: `${running.url}/mcp` } });
    try {
      const response = await fetch(worker.url);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ board: "kitchen", notes: 2 });
    } finally {
      await worker.stop();
    }
  } finally {
    await running.close();
  }
});
