/**
 * Builds the page into `dist/web`, and prints what it weighs.
 *
 * Parts that few visits need are chunks of their own, which load when they are asked for, and count all the same.
 */
import { build } from "esbuild";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

const HERE = import.meta.dirname;
const OUT = join(HERE, "../dist/web");
/** Copied as they are. `_headers` is read by the static assets of Workers, and not served. */
const STATIC = ["index.html", "callback.html", "_headers"];

const files = new Map<string, Uint8Array>();
for (const name of STATIC) files.set(name, await readFile(join(HERE, name)));
const { outputFiles } = await build({
  entryPoints: {
    app: join(HERE, "main.ts"),
    callback: join(HERE, "connect/callback.ts"),
    style: join(HERE, "style.css"),
  },
  outdir: OUT,
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: ["es2023", "chrome120", "firefox121", "safari17.4"],
  logLevel: "warning",
  write: false,
});
for (const { path, contents } of outputFiles) files.set(basename(path), contents);

// Written over what is there: a server that serves this folder never finds it empty.
await mkdir(OUT, { recursive: true });
for (const [name, bytes] of files) await writeFile(join(OUT, name), bytes);
for (const name of await readdir(OUT)) if (!files.has(name)) await rm(join(OUT, name), { recursive: true });

let total = 0;
for (const [name, bytes] of files) {
  if (name === "_headers") continue;
  const zipped = gzipSync(bytes, { level: 9 }).length;
  total += zipped;
  console.log(`dist/web/${name.padEnd(24)} ${String(bytes.length).padStart(7)} B ${String(zipped).padStart(7)} B gzip`);
}
console.log(`in all ${String(total).padStart(44)} B gzip`);
