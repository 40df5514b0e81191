/**
 * `npm run build`: what goes into the package. Emits `src/` without the example Worker into `dist/`, as modules and
 * declarations, after clearing it of everything but the page, which another script makes.
 */
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const KEPT = "web";
/** The deployable example. It composes the package and is no part of it. */
const NOT_PACKAGED = ["src/worker.ts", "src/pinboard"];

await mkdir(DIST, { recursive: true });
for (const name of await readdir(DIST)) {
  if (name !== KEPT) await rm(join(DIST, name), { recursive: true });
}

// Below the root, because that is where the compiler looks for `node_modules`.
const config = join(DIST, "tsconfig.json");
await writeFile(
  config,
  JSON.stringify({
    extends: "../tsconfig.json",
    compilerOptions: { rootDir: "../src", outDir: "." },
    include: ["../src"],
    exclude: NOT_PACKAGED.map((path) => `../${path}`),
  }),
);
try {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", config], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  await rm(config);
}

// The compiler rewrites imports to what it emits in modules, but not in declarations.
for (const path of await readdir(DIST, { recursive: true })) {
  if (!path.endsWith(".d.ts")) continue;
  const text = await readFile(join(DIST, path), "utf8");
  await writeFile(join(DIST, path), text.replaceAll(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
