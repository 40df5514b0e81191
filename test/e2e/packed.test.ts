/**
 * The package as its users get it: packed, installed into an empty folder, and put to work as the README says. The
 * server, the request and the answer are those of the README itself.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestFor } from "../kit/post.ts";
import { startSupervised, type Supervised } from "./supervised.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
/** What only workerd can load. */
const WORKERS_ENTRY = "./cloudflare";
const PORT = 8858;
const START_LIMIT_MS = 60_000;

const run = promisify(execFile);
const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));

/** The first fenced block of a language, and where it ends. */
function block(markdown: string, language: string, from = 0): { text: string; end: number } {
  const open = `\n\`\`\`${language}\n`;
  const start = markdown.indexOf(open, from);
  const end = markdown.indexOf("\n```", start + open.length);
  if (start < 0 || end < 0) throw new Error(`the README has no ${language} block after ${from}`);
  return { text: markdown.slice(start + open.length, end), end };
}

/** Of the package. */
async function entries(): Promise<string[]> {
  const { exports } = (await readJson(join(ROOT, "package.json"))) as { exports: Record<string, unknown> };
  return Object.keys(exports);
}

/** What a command that failed has printed, as execFile rejects. */
function printed(error: unknown): { stdout: string } {
  return error as { stdout: string };
}

function importing(entries: readonly string[]): string {
  return entries.map((path, index) => `export * as e${index} from "mcp-edge${path.slice(1)}";`).join("\n");
}

/** A command line as a shell takes it apart, as far as single quotes and continued lines go. */
function words(command: string): string[] {
  return [...command.replaceAll("\\\n", " ").matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
}

/** What curl would send, at another port. @throws for an option that is not understood here */
function requestOf(curl: string, port: number): Request {
  const [name, ...rest] = words(curl);
  expect(name).toBe("curl");
  const headers = new Headers();
  let url = "";
  let body = "";
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "-H") {
      const [header = "", ...value] = (rest.shift() ?? "").split(":");
      headers.append(header, value.join(":").trim());
    } else if (word === "-d") {
      body = rest.shift() ?? "";
    } else if (/^https?:/.test(word)) {
      url = word;
    } else {
      throw new Error(`curl ${word} is not understood here`);
    }
  }
  const target = new URL(url);
  target.port = String(port);
  return new Request(target, { method: "POST", headers, body });
}

interface Lock {
  packages: Record<string, { dependencies?: Record<string, string> }>;
}

/**
 * A lock file that names what `npm ci` of this repository has fetched already, so that installing needs no network:
 * without one npm would look up versions, and those are not in its cache.
 */
async function lockFor(tarball: string): Promise<object> {
  const { packages } = (await readJson(join(ROOT, "package-lock.json"))) as Lock; // npm wrote it.
  const own = (await readJson(join(ROOT, "package.json"))) as {
    version: string;
    dependencies?: Record<string, string>;
  };
  const locked: Record<string, unknown> = {
    "": { dependencies: { "mcp-edge": `file:${tarball}` } },
    "node_modules/mcp-edge": {
      version: own.version,
      resolved: `file:${tarball}`,
      dependencies: own.dependencies ?? {},
    },
  };
  const open = Object.keys(own.dependencies ?? {});
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const path = `node_modules/${name}`;
    const entry = packages[path];
    if (entry === undefined) throw new Error(`${name} is not in the lock file`);
    if (path in locked) continue;
    const { dev: _dev, ...rest } = entry as { dev?: boolean; dependencies?: Record<string, string> };
    locked[path] = rest;
    open.push(...Object.keys(rest.dependencies ?? {}));
  }
  return { name: "empty", lockfileVersion: 3, requires: true, packages: locked };
}

describe("the packed tarball in an empty folder", () => {
  let folder = "";
  let readme = "";
  let wrangler: Supervised | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mcp-edge-packed-"));
    readme = await readFile(join(ROOT, "README.md"), "utf8");
    await run("npm", ["pack", "--pack-destination", folder], { cwd: ROOT });
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
    const manifest = { name: "empty", private: true, type: "module", dependencies: { "mcp-edge": `file:${tarball}` } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "package-lock.json"), JSON.stringify(await lockFor(tarball)));
    await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder });
    await writeFile(join(folder, "server.ts"), block(readme, "ts").text);
  });

  afterAll(async () => {
    await wrangler?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What the compiler has to say of files in the folder; nothing when all is well. */
  const typeErrors = async (files: readonly string[], options: object): Promise<string> => {
    const compilerOptions = {
      target: "es2024",
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      ...options,
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    return (await run(process.execPath, [TSC, "-p", "."], { cwd: folder }).catch(printed)).stdout;
  };

  const startWrangler = (args: readonly string[]): Supervised => {
    const scratch = join(folder, "scratch");
    return startSupervised(WRANGLER, [...args, "--inspector-port", "0"], {
      cwd: folder,
      env: {
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        WRANGLER_LOG_PATH: join(scratch, "logs"),
        WRANGLER_REGISTRY_PATH: join(scratch, "registry"),
        WRANGLER_SEND_METRICS: "false",
      },
    });
  };

  test("holds the built package and its README, and nothing of the example or the tests", async () => {
    const installed = join(folder, "node_modules/mcp-edge");
    expect((await readdir(installed)).toSorted()).toEqual(["README.md", "dist", "package.json"]);
    const files = await readdir(join(installed, "dist"), { recursive: true });
    expect(files.filter((file) => /worker|pinboard|^web|test|tsconfig/.test(file))).toEqual([]);
    for (const file of files.filter((file) => /\.(?:js|d\.ts)$/.test(file))) {
      expect(await readFile(join(installed, "dist", file), "utf8")).not.toMatch(/(?:from |import\()"\.[^"]*\.ts"/);
    }
  });

  test("every entry of the package can be imported by itself, but for that of the Workers runtime", async () => {
    for (const path of (await entries()).filter((entry) => entry !== WORKERS_ENTRY)) {
      const name = `mcp-edge${path.slice(1)}`;
      const script = `console.log(Object.keys(await import(${JSON.stringify(name)})).length > 0)`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
      expect(`${name} ${stdout.trim()}`).toBe(`${name} true`);
    }
  });

  test("the README's server type-checks, the package's declarations included", async () => {
    const others = (await entries()).filter((entry) => entry !== WORKERS_ENTRY);
    await writeFile(join(folder, "entries.ts"), importing(others));
    const dom = { lib: ["es2024", "dom", "dom.iterable"], types: [] };
    expect(await typeErrors(["server.ts", "entries.ts"], dom)).toBe("");
  });

  test("so does the Worker that docs/subscriptions.md begins with, in the types of the Workers runtime", async () => {
    const page = await readFile(join(ROOT, "docs/subscriptions.md"), "utf8");
    await writeFile(join(folder, "listening.ts"), block(page, "ts").text);
    await writeFile(join(folder, "workers-entries.ts"), importing([WORKERS_ENTRY, "./subscriptions", "./core", "."]));
    const workers = { lib: ["es2024"], types: [join(ROOT, "node_modules/@cloudflare/workers-types")] };
    // The platform's own declarations are not ours to check.
    expect(await typeErrors(["listening.ts", "workers-entries.ts"], { ...workers, skipLibCheck: true })).toBe("");
  });

  test("that Worker runs with that page's settings, and a listener hears what its tool says", async () => {
    const page = await readFile(join(ROOT, "docs/subscriptions.md"), "utf8");
    const settings = `name = "listening"\nmain = "listening.ts"\ncompatibility_date = "2026-11-01"\n${block(page, "toml").text}`;
    await writeFile(join(folder, "wrangler.toml"), settings);
    const listening = startWrangler(["dev", "-c", "wrangler.toml", "--port", String(PORT + 1)]);
    try {
      const url = `http://127.0.0.1:${PORT + 1}/mcp`;
      const filter = { notifications: { resourceSubscriptions: ["board://kitchen"] } };
      const answer = await firstResponse(() => requestFor("subscriptions/listen", filter, { url }), listening);
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let heard = "";
      const until = async (text: string): Promise<void> => {
        while (!heard.includes(text)) {
          const part = await reader?.read();
          if (part === undefined || part.done) throw new Error(`the stream ended: ${heard}`);
          heard += part.value;
        }
      };
      await until('"resourceSubscriptions":["board://kitchen"]');
      const renamed = await fetch(requestFor("tools/call", { name: "rename", arguments: {} }, { url }));
      expect(await renamed.text()).toContain("Renamed.");
      await until('"uri":"board://kitchen"');
      await reader?.cancel();
    } finally {
      await listening.stop();
    }
  });

  test("the README's command runs the README's server, and the README's request gets the README's answer", async () => {
    const [, command = ""] = /`npx (wrangler dev [^`]+)`/.exec(readme) ?? [];
    const [, ...args] = command.split(" ");
    expect(args).toContain("server.ts");
    await rm(join(folder, "wrangler.toml"), { force: true }); // Of another test; the README has none.
    wrangler = startWrangler([...args, "--port", String(PORT)]);
    const server = block(readme, "ts");
    const curl = block(readme, "sh", server.end);
    const answer = block(readme, "json", curl.end);
    const response = await firstResponse(() => requestOf(curl.text, PORT), wrangler);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(JSON.parse(answer.text));
  });
});

/** Asks until somebody listens. */
async function firstResponse(request: () => Request, wrangler: Supervised): Promise<Response> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await fetch(request(), { signal: AbortSignal.timeout(5_000) });
    } catch (error) {
      if (Date.now() > deadline)
        throw new Error(`wrangler dev did not come up:\n${wrangler.output()}`, { cause: error });
      await new Promise((wait) => setTimeout(wait, 200));
    }
  }
}
