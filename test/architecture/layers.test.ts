/**
 * What may import what. The table is the one of the house rules, with these differences where our tree needs them:
 *
 * - `http/` reads the header plan that `schema/` made of a tool's annotations, to compare it with the arguments.
 * - `node/` starts a server for what `http/` answers, and needs nothing below that.
 * - `subscriptions/` makes the notifier of `server/` for those who publish outside of requests.
 * - `pinboard/`, the example, uses the package as its users do: through the entries, and the platform.
 * - Entries put things together and are imported by nothing, but for `index.ts`, which is `core.ts` and an engine.
 */
import { describe, expect, test } from "vitest";
import { type Import, type SourceFile, sourceFiles } from "../kit/source-files.ts";

const MAX_LINES = 400;

interface Layer {
  /** Folders and files of ours, packages, and runtime modules. Its own folder goes without saying. */
  readonly values: readonly string[];
  /** More of the same whose types alone may be used. */
  readonly types?: readonly string[];
}

const LAYERS: Readonly<Record<string, Layer>> = {
  protocol: { values: [] },
  sse: { values: [] },
  schema: { values: ["ajv"], types: ["protocol"] },
  server: { values: ["protocol", "schema"] },
  http: { values: ["protocol", "server", "sse", "schema"] },
  subscriptions: { values: ["protocol", "server"] },
  cloudflare: { values: ["protocol", "subscriptions", "cloudflare:workers"], types: ["server"] },
  client: { values: ["protocol", "sse", "schema"] },
  node: { values: ["http", "node:"], types: ["client"] },
  pinboard: { values: ["index.ts", "subscriptions.ts", "cloudflare.ts", "cloudflare:workers"] },
  "core.ts": { values: ["protocol", "schema", "server", "http"] },
  "index.ts": { values: ["core.ts", "schema", "server"], types: ["protocol"] },
  "subscriptions.ts": { values: ["subscriptions"], types: ["protocol", "server"] },
  "cloudflare.ts": { values: ["cloudflare"] },
  "node.ts": { values: ["node"] },
  "client.ts": { values: ["client", "protocol"], types: ["schema"] },
  "client-oauth.ts": { values: ["client"], types: ["protocol"] },
  "client-legacy.ts": { values: ["client"], types: ["protocol"] },
  "worker.ts": { values: ["index.ts", "cloudflare.ts", "pinboard"] },
};

/** Files that exist to re-export: the entries of package.json, and the Worker, whose classes the runtime looks up. */
const ENTRIES: ReadonlySet<string> = new Set([
  "client-legacy.ts",
  "client-oauth.ts",
  "client.ts",
  "cloudflare.ts",
  "core.ts",
  "index.ts",
  "node.ts",
  "subscriptions.ts",
  "worker.ts",
]);

const files = sourceFiles();
const byPath = new Map(files.map((file) => [file.path, file]));

/** The folder, entry file, package or runtime module of an import, as the table names it. */
function sourceOf({ target }: Import): string {
  if (byPath.has(target)) return byPath.get(target)?.layer ?? target;
  if (target.startsWith("node:")) return "node:";
  return target.startsWith("cloudflare:") ? target : (/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
}

function isAllowed(file: SourceFile, imported: Import): boolean {
  const layer = LAYERS[file.layer];
  const source = sourceOf(imported);
  if (layer === undefined) return false;
  return (
    source === file.layer ||
    layer.values.includes(source) ||
    (imported.typeOnly && layer.types?.includes(source) === true)
  );
}

describe("the source tree", () => {
  test("has a row in the table for every folder and entry, and no row for what is gone", () => {
    expect(Object.keys(LAYERS).toSorted()).toEqual([...new Set(files.map(({ layer }) => layer))].toSorted());
  });

  test("imports only what the table allows", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((imported) => !isAllowed(file, imported))
        .map(({ target }) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test("names files of ours by paths that exist, with their extension", () => {
    const missing = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => /\.[jt]s$/.test(target) && !target.includes("/dist/") && !byPath.has(target))
        .map(({ target }) => `${path}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test("has no import cycles, not even of types", () => {
    expect(cyclesIn(files)).toEqual([]);
  });

  test("re-exports from its entries alone", () => {
    const barrels = files.filter(({ path, imports }) => !ENTRIES.has(path) && imports.some(({ reExport }) => reExport));
    expect(barrels.map(({ path }) => path)).toEqual([]);
  });

  test("has no file that is too long to read", () => {
    expect(files.filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  test("is named in kebab-case, and nothing is named after what belongs nowhere", () => {
    const names = files.flatMap(({ path }) => path.split("/"));
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.ts)?$/.test(name))).toEqual([]);
    expect(names.filter((name) => /^(?:utils?|helpers?|common|misc|manager)(?:\.ts)?$/.test(name))).toEqual([]);
  });

  test("says at the top of each file what it is", () => {
    expect(files.filter(({ introduced }) => !introduced).map(({ path }) => path)).toEqual([]);
  });
});

describe("protocol/", () => {
  test.each([
    ["requests and responses", /(?<![.\w])(?:Request|Response|Headers|fetch)\b(?!\s*:)/],
    [
      "clocks and timers",
      /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bset(?:Timeout|Interval)\b|\bqueueMicrotask\b/,
    ],
    ["randomness", /\bcrypto\b|\bMath\.random\b/],
    ["streams", /\b(?:Readable|Writable|Transform)Stream\b/],
    ["the console", /\bconsole\b/],
    ["promises", /\bPromise\b|\basync\b|\bawait\b/],
  ])("does without %s", (_name, pattern) => {
    const users = files.filter(({ layer, code }) => layer === "protocol" && pattern.test(code));
    expect(users.map(({ path, code }) => `${path}: ${pattern.exec(code)?.[0]}`)).toEqual([]);
  });
});

describe("the core", () => {
  test("leaves the console to its entries' options, and code generation to Ajv", () => {
    const talkative = files.filter(
      ({ layer, code }) => ["server", "schema", "sse"].includes(layer) && /\bconsole\b/.test(code),
    );
    expect(talkative.map(({ path }) => path)).toEqual([]);
    const generating = files.filter(({ code }) => /\bnew Function\b|\beval\(/.test(code));
    expect(generating.map(({ path }) => path)).toEqual([]);
  });
});

/** Each cycle as the path around it, found by walking from every file. */
function cyclesIn(all: readonly SourceFile[]): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) if (byPath.has(target)) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of all) visit(path, []);
  return cycles;
}
