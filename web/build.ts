/**
 * Builds the page into `dist/web`, and prints what it weighs.
 */
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const HERE = import.meta.dirname;
const OUT = join(HERE, "../dist/web");
/** Copied as they are. `_headers` is read by the static assets of Workers, and not served. */
const STATIC = ["index.html", "_headers"];

// Overwritten in place: a server that serves this folder never finds it empty.
await mkdir(OUT, { recursive: true });
await build({
  entryPoints: { app: join(HERE, "main.ts"), style: join(HERE, "style.css") },
  outdir: OUT,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2023", "chrome120", "firefox121", "safari17.4"],
  logLevel: "warning",
});
for (const name of STATIC) await copyFile(join(HERE, name), join(OUT, name));

const built = new Set([...STATIC, "app.js", "style.css"]);
for (const name of await readdir(OUT)) if (!built.has(name)) await rm(join(OUT, name), { recursive: true });

let total = 0;
for (const name of built) {
  if (name === "_headers") continue;
  const bytes = await readFile(join(OUT, name));
  const zipped = gzipSync(bytes, { level: 9 }).length;
  total += zipped;
  console.log(`dist/web/${name.padEnd(12)} ${String(bytes.length).padStart(7)} B ${String(zipped).padStart(7)} B gzip`);
}
console.log(`in all ${String(total).padStart(32)} B gzip`);
