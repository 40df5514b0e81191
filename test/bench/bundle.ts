/**
 * One Worker per contestant and number of tools, bundled and minified in memory as a deployment would be.
 *
 * Contract: ours comes from the package as it is published, not from `src/`, since users bundle the former. It is built
 * once a run, into a temporary folder.
 */
import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build, type Plugin } from "esbuild";
import { buildPackage } from "../build-package.ts";
import { searchTools, echoTool } from "./tools.ts";

export type Kind =
  | "trivial"
  | "floor-built"
  | "floor-ajv"
  | "ours-core"
  | "ours-interpreter"
  | "ours-ajv"
  | "official"
  | "official-zod"
  | "mcp-lite";

/** Everybody that serves tools, in the order of the tables. */
export const CONTESTANTS: readonly Kind[] = [
  "floor-built",
  "floor-ajv",
  "ours-core",
  "ours-interpreter",
  "ours-ajv",
  "official",
  "official-zod",
  "mcp-lite",
];

export const TITLES: Readonly<Record<Kind, string>> = {
  trivial: "trivial Worker",
  "floor-built": "floor, checks compiled at build",
  "floor-ajv": "floor, Ajv",
  "ours-core": "mcp-edge core, no engine",
  "ours-interpreter": "mcp-edge core, interpreter",
  "ours-ajv": "mcp-edge, Ajv",
  official: "official, JSON Schema",
  "official-zod": "official, zod",
  "mcp-lite": "mcp-lite (2025-06-18), no argument check",
};

const SOURCES = resolve(import.meta.dirname, "../../src");
/** As wrangler has it. */
const WORKER_CONDITIONS = ["workerd", "worker", "browser"];

let building: Promise<string> | undefined;

async function packageFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-edge-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await buildPackage(folder);
  // As in the package.json that is published; without it a bundler keeps every module that is imported.
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", sideEffects: false }));
  return folder;
}

/** Leads imports of `src/` into the package. */
const fromPackage: Plugin = {
  name: "from-package",
  setup(pending) {
    pending.onResolve({ filter: /^\.\.\/\.\.\/src\/.*\.ts$/ }, async ({ path, resolveDir }) => {
      building ??= packageFolder();
      const module = relative(SOURCES, resolve(resolveDir, path)).replace(/\.ts$/, ".js");
      return { path: join(await building, module) };
    });
  },
};

/** The source of a Worker, as one ES module. */
export async function bundleWorker(kind: Kind, tools: number | "echo"): Promise<string> {
  return bundle(entrySource(kind, tools) + WORKER);
}

/** The source of a Worker that is a module in this folder, as one ES module. */
export async function bundleModule(module: string): Promise<string> {
  return bundle(`export * from "./${module}"; export { default } from "./${module}";`);
}

/** What a page would load of such a module, as one ES module. */
export async function bundleForBrowser(contents: string): Promise<string> {
  return bundle(contents, ["browser"]);
}

async function bundle(contents: string, conditions: string[] = WORKER_CONDITIONS): Promise<string> {
  const result = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    mainFields: ["module", "main"],
    conditions,
    // The package is built outside of this one, and imports what its users install with it.
    nodePaths: [resolve(import.meta.dirname, "../../node_modules")],
    // The official SDK looks for Node's Buffer and process where there are some.
    external: ["node:*", "cloudflare:*"],
    legalComments: "none",
    plugins: [fromPackage],
    logLevel: "error",
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error("no bundle");
  return file.text;
}

function entrySource(kind: Kind, tools: number | "echo"): string {
  if (kind === "trivial") return `const handle = () => new Response("{}");`;
  const set = tools === "echo" ? "[echoTool]" : `searchTools(${tools})`;
  const imports = `import { searchTools, echoTool } from "./tools.ts";`;
  if (kind !== "floor-built") {
    return `${imports} import { serve } from "./${kind}.ts"; const handle = serve(${set});`;
  }
  return `${imports} import { serve } from "./floor.ts"; ${builtChecks(tools)} const handle = serve(${set}, CHECKS);`;
}

/** Wrapped, since what `handle` takes beyond the request is not what Workers pass. */
const WORKER = "export default { fetch: (request) => handle(request) };";

/** Ajv's functions as source, so that neither Ajv nor code generation is in the Worker. */
function builtChecks(tools: number | "echo"): string {
  const ajv = new Ajv2020({ code: { source: true, esm: true, lines: false } });
  const served = tools === "echo" ? [echoTool] : searchTools(tools);
  for (const { name, inputSchema } of served) ajv.addSchema(inputSchema, name);
  const names = Object.fromEntries(served.map(({ name }) => [`check_${name}`, name]));
  const source = standaloneCode.default(ajv, names);
  const entries = Object.entries(names).map(([local, name]) => `[${JSON.stringify(name)}, ${local}]`);
  return `${source}\nconst CHECKS = new Map([${entries.join(", ")}]);`;
}
