/**
 * The views of results by themselves, under the page's own policy: whatever a server could send is put into them from a test.
 */
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

const WEB = join(import.meta.dirname, "../../web");
const ORIGIN = "http://views.localhost";
const SCRIPT = `
  import { McpError, ProtocolError } from "../src/client.ts";
  import { contentView, resourceContentsView, resultView } from "./results/content-view.ts";
  import { failureBlock } from "./results/failure.ts";
  import { jsonView } from "./results/json-view.ts";
  import { markdown } from "./results/markdown.ts";
  import { diffView } from "./results/text-diff.ts";
  const errors = {
    protocol: ({ code, message, data }) => failureBlock(new ProtocolError(code, message, data)),
    mcp: ({ code, message, cause }) => failureBlock(new McpError(code, message, { cause: cause && new Error(cause) })),
  };
  const diff = ({ before, after }) => diffView(before, after);
  const views = { result: resultView, content: contentView, resource: resourceContentsView, json: jsonView, markdown, diff, ...errors };
  document.querySelector("main").setAttribute("data-ready", "");
  globalThis.show = (kind, value) => document.querySelector("main").replaceChildren(views[kind](value));
`;
const PAGE = `<!doctype html><html lang="en"><head><title>Views</title><link rel="icon" href="data:," />
  <link rel="stylesheet" href="/views.css" /><script type="module" src="/views.js"></script></head>
  <body><header class="top"></header><div class="navigation"></div><main><h1>Views</h1></main></body></html>`;

export type ViewKind = "result" | "content" | "resource" | "json" | "markdown" | "diff" | "protocol" | "mcp";

let files: Promise<Record<string, string>> | undefined;

async function bundle(): Promise<Record<string, string>> {
  const common = { bundle: true, write: false, outdir: "/", logLevel: "warning" } as const;
  const [script, style, headers] = await Promise.all([
    build({ ...common, format: "esm", stdin: { contents: SCRIPT, resolveDir: WEB, loader: "ts" } }),
    build({ ...common, entryPoints: [join(WEB, "style.css")] }),
    readFile(join(WEB, "_headers"), "utf8"),
  ]);
  return {
    "/views.js": script.outputFiles[0]?.text ?? "",
    "/views.css": style.outputFiles[0]?.text ?? "",
    policy: /Content-Security-Policy: (.*)/.exec(headers)?.[1] ?? "",
  };
}

const TYPES: Record<string, string> = { "/views.js": "text/javascript", "/views.css": "text/css" };

/** Opens an empty page that has the views. */
export async function openViews(page: Page): Promise<void> {
  files ??= bundle();
  const served = await files;
  await page.route(`${ORIGIN}/**`, (route, request) => {
    const path = new URL(request.url()).pathname;
    const headers = { "content-security-policy": served["policy"] ?? "" };
    return route.fulfill({ body: served[path] ?? PAGE, contentType: TYPES[path] ?? "text/html", headers });
  });
  await page.goto(ORIGIN);
  await page.locator("main[data-ready]").waitFor();
}

/** Shows a value in place of what was shown. */
export async function show(page: Page, kind: ViewKind, value: unknown): Promise<void> {
  await page.evaluate(`show(${JSON.stringify(kind)}, JSON.parse(${JSON.stringify(JSON.stringify(value))}))`);
}
