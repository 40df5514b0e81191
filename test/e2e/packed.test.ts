/**
 * The package as its users get it: packed, installed into an empty folder, and put to work as the README says. The
 * server, the request and the answer are those of the README itself.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSupervised, type Supervised } from "./supervised.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
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

  test("holds the built package and its README, and nothing of the example or the tests", async () => {
    const installed = join(folder, "node_modules/mcp-edge");
    expect((await readdir(installed)).toSorted()).toEqual(["README.md", "dist", "package.json"]);
    const files = await readdir(join(installed, "dist"), { recursive: true });
    expect(files.filter((file) => /worker|pinboard|^web|test|tsconfig/.test(file))).toEqual([]);
    for (const file of files.filter((file) => /\.(?:js|d\.ts)$/.test(file))) {
      expect(await readFile(join(installed, "dist", file), "utf8")).not.toMatch(/(?:from |import\()"\.[^"]*\.ts"/);
    }
  });

  test("every entry of the package can be imported by itself", async () => {
    const { exports } = (await readJson(join(ROOT, "package.json"))) as { exports: Record<string, unknown> };
    for (const path of Object.keys(exports)) {
      const name = `mcp-edge${path.slice(1)}`;
      const script = `console.log(Object.keys(await import(${JSON.stringify(name)})).length > 0)`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
      expect(`${name} ${stdout.trim()}`).toBe(`${name} true`);
    }
  });

  test("the README's server type-checks, the package's declarations included", async () => {
    const { exports } = (await readJson(join(ROOT, "package.json"))) as { exports: Record<string, unknown> };
    const imports = Object.keys(exports).map((path, index) => `export * as e${index} from "mcp-edge${path.slice(1)}";`);
    await writeFile(join(folder, "entries.ts"), imports.join("\n"));
    const compilerOptions = {
      target: "es2024",
      module: "nodenext",
      lib: ["es2024", "dom", "dom.iterable"],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    const files = ["server.ts", "entries.ts"];
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const checked = await run(process.execPath, [TSC, "-p", "."], { cwd: folder }).catch((error: unknown) => error);
    expect(checked).toMatchObject({ stdout: "" });
  });

  test("the README's command runs the README's server, and the README's request gets the README's answer", async () => {
    const [, command = ""] = /`npx (wrangler dev [^`]+)`/.exec(readme) ?? [];
    const [, ...args] = command.split(" ");
    expect(args).toContain("server.ts");
    const scratch = join(folder, "scratch");
    await mkdir(scratch);
    wrangler = startSupervised(WRANGLER, [...args, "--port", String(PORT), "--inspector-port", "0"], {
      cwd: folder,
      env: {
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        WRANGLER_LOG_PATH: join(scratch, "logs"),
        WRANGLER_REGISTRY_PATH: join(scratch, "registry"),
        WRANGLER_SEND_METRICS: "false",
      },
    });
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
