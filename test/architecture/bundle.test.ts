/**
 * Each entry bundled alone, as a user's bundler would: nothing of another entry slips in, nothing of a runtime, and it
 * stays small.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../kit/source-files.ts";

/** With every export kept: what one tool needs is less. */
const CORE_MAX_GZIP_BYTES = 21_000;
const INDEX_MAX_GZIP_BYTES = 55 * 1024;
const INTERPRETER_MAX_GZIP_BYTES = 11_200;

interface Bundle {
  readonly gzipBytes: number;
  /** Files with code in the bundle: relative to `src/`, or the name of the package. */
  readonly files: readonly string[];
  /** What the runtime has to bring. */
  readonly external: readonly string[];
}

/** `exports` of package.json as sources: `./dist/node/serve.js` is `node/serve.ts`. */
function entriesOfPackage(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    exports: Record<string, { default: string }>;
  };
  return new Map(
    Object.entries(exports).map(([name, { default: path }]) => [
      name,
      path.replace(/^\.\/dist\//, "").replace(/\.js$/, ".ts"),
    ]),
  );
}

async function bundle(entry: string, contents = `export * from "./src/${entry}";`): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    gzipBytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length,
    files: [...new Set(inputs.filter(([path]) => path !== "<stdin>").map(([path]) => nameOf(path)))],
    external: (output?.imports ?? []).map(({ path }) => path),
  };
}

function nameOf(path: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.replace(/^src\//, "");
}

const entries = entriesOfPackage();
const bundles = new Map<string, Bundle>();

beforeAll(async () => {
  for (const [name, path] of entries) bundles.set(name, await bundle(path));
}, 60_000);

function bundleOf(name: string): Bundle {
  const found = bundles.get(name);
  if (found === undefined) throw new Error(`no entry ${name}`);
  return found;
}

/** Folders, files and packages that have no business in an entry's bundle. */
const FOREIGN: readonly (readonly [entry: string, foreign: readonly string[]])[] = [
  [".", ["node/", "pinboard/", "worker.ts"]],
  [
    "./core",
    [
      "ajv",
      "fast-uri",
      "schema/ajv",
      "schema/interpreter.ts",
      "schema/rule",
      "node/",
      "pinboard/",
      "index.ts",
      "worker.ts",
    ],
  ],
  ["./ajv", ["server/", "http/", "protocol/", "sse/", "node/", "core.ts", "index.ts"]],
  [
    "./interpreter",
    ["ajv", "fast-uri", "schema/ajv", "server/", "http/", "protocol/", "sse/", "node/", "core.ts", "index.ts"],
  ],
  ["./node", ["ajv", "fast-uri", "schema/", "server/", "protocol/", "pinboard/", "core.ts", "index.ts"]],
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

  test.each([".", "./core", "./ajv", "./interpreter"])("%s needs nothing of any runtime", (entry) => {
    expect(bundleOf(entry).external).toEqual([]);
  });

  test("./node needs Node and nothing else", () => {
    expect(bundleOf("./node").external.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });

  test("brings no package but the declared dependencies and theirs", () => {
    const packages = [...bundles.values()].flatMap(({ files }) => files.filter((file) => !file.includes(".")));
    expect([...new Set(packages)].toSorted()).toEqual(["ajv", "fast-deep-equal", "fast-uri", "json-schema-traverse"]);
  });

  test("does nothing when it is imported for nothing", async () => {
    for (const path of entries.values()) {
      const { files } = await bundle(path, `import {} from "./src/${path}";`);
      expect(files).toEqual([]);
    }
  });
});

describe("weight after gzip", () => {
  test.each([
    ["./core", CORE_MAX_GZIP_BYTES],
    [".", INDEX_MAX_GZIP_BYTES],
    ["./interpreter", INTERPRETER_MAX_GZIP_BYTES],
  ] as const)("of %s is at most %d bytes", (entry, limit) => {
    expect(bundleOf(entry).gzipBytes).toBeLessThanOrEqual(limit);
  });
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
