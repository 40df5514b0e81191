/**
 * The package as it is built, each entry bundled alone, as a user's bundler would: nothing of another entry slips in,
 * nothing of a runtime, and it stays small.
 */
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ajvEngine } from "../../src/schema/ajv.ts";
import { SchemaError, type SchemaEngine } from "../../src/schema/engine.ts";
import { buildPackage } from "../build-package.ts";
import { ROOT } from "../kit/source-files.ts";
import { officialSuiteDirectory, runOfficialSuite } from "../schema/official-suite.ts";

/** With every export kept: what one tool needs is less. */
const CORE_MAX_GZIP_BYTES = 23_200;
const INDEX_MAX_GZIP_BYTES = 52_000;
const SUBSCRIPTIONS_MAX_GZIP_BYTES = 4_000;
const CLOUDFLARE_MAX_GZIP_BYTES = 9_000;
const INTERPRETER_MAX_GZIP_BYTES = 9_000;

interface Bundle {
  readonly gzipBytes: number;
  /** Files with code in the bundle, as their sources are called relative to `src/`. */
  readonly files: readonly string[];
  /** What the runtime has to bring. */
  readonly external: readonly string[];
}

/** `exports` of package.json: the path of each entry in the package. */
function entriesOfPackage(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    exports: Record<string, { default: string }>;
  };
  return new Map(Object.entries(exports).map(([name, { default: path }]) => [name, path]));
}

/** Where the package is built. */
let folder = "";

async function bundle(entry: string, contents = `export * from "${entry}";`): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "cloudflare:*"],
    nodePaths: [join(ROOT, "node_modules")], // Where the package's dependencies would be for a user.
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    gzipBytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length,
    files: inputs.filter(([path]) => path !== "<stdin>").map(([path]) => nameOf(path)),
    external: (output?.imports ?? []).map(({ path }) => path),
  };
}

function nameOf(path: string): string {
  return path.replace(/^dist\//, "").replace(/\.js$/, ".ts");
}

const entries = entriesOfPackage();
const bundles = new Map<string, Bundle>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-edge-bundle-"));
  await copyFile(join(ROOT, "package.json"), join(folder, "package.json"));
  await buildPackage(join(folder, "dist"));
  for (const [name, path] of entries) bundles.set(name, await bundle(path));
}, 60_000);

afterAll(() => rm(folder, { recursive: true }));

function bundleOf(name: string): Bundle {
  const found = bundles.get(name);
  if (found === undefined) throw new Error(`no entry ${name}`);
  return found;
}

/** Folders, files and packages that have no business in an entry's bundle. */
const FOREIGN: readonly (readonly [entry: string, foreign: readonly string[]])[] = [
  [".", ["node/", "pinboard/", "worker.ts"]],
  ["./core", ["schema/ajv", "schema/interpreter.ts", "schema/rule", "node/", "pinboard/", "index.ts", "worker.ts"]],
  ["./ajv", ["server/", "http/", "protocol/", "sse/", "node/", "core.ts", "index.ts"]],
  ["./interpreter", ["schema/ajv", "server/", "http/", "protocol/", "sse/", "node/", "core.ts", "index.ts"]],
  ["./subscriptions", ["schema/", "http/", "sse/", "node/", "cloudflare/", "pinboard/", "core.ts", "index.ts"]],
  [
    "./cloudflare",
    ["schema/", "http/", "sse/", "server/", "node/", "pinboard/", "core.ts", "index.ts", "subscriptions.ts"],
  ],
  [
    "./client",
    [
      "schema/ajv",
      "schema/interpreter.ts",
      "schema/rule",
      "server/",
      "http/",
      "client/oauth",
      "client/legacy/",
      "node/",
    ],
  ],
  ["./client/oauth", ["schema/", "server/", "http/", "client/legacy/", "client/mcp-client.ts", "node/"]],
  ["./client/legacy", ["schema/", "server/", "http/", "client/oauth", "client/mcp-client.ts", "node/"]],
  ["./node", ["schema/", "server/", "protocol/", "client/", "pinboard/", "core.ts", "index.ts"]],
];

describe("each entry", () => {
  test("is looked at here", () => {
    expect(FOREIGN.map(([entry]) => entry).toSorted()).toEqual([...entries.keys()].toSorted());
  });

  test.each(FOREIGN)("%s brings nothing of what it has no use for", (entry, foreign) => {
    const { files } = bundleOf(entry);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => foreign.some((prefix) => file.startsWith(prefix)))).toEqual([]);
  });

  test.each([".", "./core", "./ajv", "./interpreter", "./subscriptions"])(
    "%s needs nothing of any runtime",
    (entry) => {
      expect(bundleOf(entry).external).toEqual([]);
    },
  );

  test("./cloudflare needs the Workers runtime and nothing else", () => {
    expect(new Set(bundleOf("./cloudflare").external)).toEqual(new Set(["cloudflare:workers"]));
  });

  test("./node needs Node and nothing else", () => {
    expect(bundleOf("./node").external.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });

  test("needs no other package", () => {
    const files = [...bundles].flatMap(([entry, { files: all }]) => all.map((file) => `${entry}: ${file}`));
    const foreign = files.filter((file) => file.includes("node_modules"));
    expect(foreign).toEqual([]);
  });

  test("leaves HTTP+SSE to those who ask for it", async () => {
    const path = entries.get("./client/legacy") ?? "";
    const filesOf = async (name: string): Promise<readonly string[]> =>
      (await bundle(path, `export { ${name} } from "${path}";`)).files;
    const wire = "client/legacy/http-sse-wire.ts";
    expect(await filesOf("legacyFallback")).toContain(wire);
    expect(await filesOf("streamableFallback")).not.toContain(wire);
  });

  test("does nothing when it is imported for nothing", async () => {
    for (const path of entries.values()) {
      const { files } = await bundle(path, `import "${path}";`);
      expect(files).toEqual([]);
    }
  });
});

describe("weight after gzip", () => {
  test.each([
    ["./core", CORE_MAX_GZIP_BYTES],
    [".", INDEX_MAX_GZIP_BYTES],
    ["./interpreter", INTERPRETER_MAX_GZIP_BYTES],
    ["./subscriptions", SUBSCRIPTIONS_MAX_GZIP_BYTES],
    ["./cloudflare", CLOUDFLARE_MAX_GZIP_BYTES],
  ] as const)("of %s is at most %d bytes", (entry, limit) => {
    expect(bundleOf(entry).gzipBytes).toBeLessThanOrEqual(limit);
  });
});

test("what is taken from Ajv comes with its licence, and none of its types", async () => {
  const files = await readdir(join(folder, "dist/schema"));
  expect(files.filter((file) => file.startsWith("ajv")).toSorted()).toEqual(["ajv.LICENSE.txt", "ajv.d.ts", "ajv.js"]);
  expect(await readFile(join(folder, "dist/schema/ajv.LICENSE.txt"), "utf8")).toContain("MIT License");
});

const suite = officialSuiteDirectory();

/** A module of the package, which is the built form of the source that `T` stands for. */
async function built<T>(path: string): Promise<T> {
  return (await import(/* @vite-ignore */ pathToFileURL(join(folder, path)).href)) as T;
}

/** The engine in the package, whose errors are of another class than those of the sources. */
async function builtEngine(): Promise<SchemaEngine> {
  const engine = (await built<{ ajvEngine: typeof ajvEngine }>("dist/schema/ajv.js")).ajvEngine();
  const errors = await built<{ SchemaError: typeof SchemaError }>("dist/schema/engine.js");
  const compile: SchemaEngine["compile"] = (schema) => {
    try {
      return engine.compile(schema);
    } catch (error) {
      throw error instanceof errors.SchemaError ? new SchemaError(error.path, error.reason) : error;
    }
  };
  return { name: engine.name, compile };
}

test.skipIf(suite === undefined)("the engine in the package judges as the one in the sources does", async () => {
  const engine = await builtEngine();
  for (const dialect of ["draft2020-12", "draft7"] as const) {
    const counts = runOfficialSuite(engine, dialect, suite ?? "");
    expect(counts).toEqual(runOfficialSuite(ajvEngine(), dialect, suite ?? ""));
    expect(counts.passed).toBeGreaterThan(800);
  }
});

/** Fails a build that would load anything; used to show that the core compiles without an engine. */
const NO_PACKAGES: Plugin = {
  name: "no-packages",
  setup(pending) {
    pending.onResolve({ filter: /^[^./]/ }, ({ path }) => ({ errors: [{ text: `unexpected package ${path}` }] }));
  },
};

test("the core stands alone, without a single package", async () => {
  const built = build({
    entryPoints: [join(ROOT, "src/core.ts")],
    bundle: true,
    write: false,
    format: "esm",
    plugins: [NO_PACKAGES],
    logLevel: "silent",
  });
  await expect(built).resolves.toMatchObject({ errors: [] });
});
