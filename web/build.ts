/**
 * Builds the page into `dist/web`, and prints what it weighs.
 *
 * One script for all of it: in parts it would weigh more, since each part is compressed by itself. It is minified twice,
 * since terser is the better one at shortening and oxc at naming; with esbuild's own it would weigh a twentieth more.
 */
import { build, transform } from "esbuild";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { minify } from "terser";
import { minify as mangle } from "vite";

const HERE = import.meta.dirname;
const OUT = join(HERE, "../dist/web");
const TARGET = ["es2023", "chrome123", "firefox121", "safari17.5"];
const STYLE = { loader: "css", minify: true, target: TARGET } as const;
/** Copied as they are. `_headers` is read by the static assets of Workers, and not served. */
const STATIC = ["index.html", "_headers"];

const files = new Map<string, Uint8Array>();
for (const name of STATIC) files.set(name, await readFile(join(HERE, name)));
const { outputFiles } = await build({
  entryPoints: { app: join(HERE, "main.ts"), style: join(HERE, "style.css") },
  outdir: OUT,
  bundle: true,
  format: "esm",
  target: TARGET,
  logLevel: "warning",
  write: false,
});
for (const { path, text } of outputFiles) {
  const code = path.endsWith(".js") ? await minifiedScript(text) : (await transform(text, STYLE)).code;
  files.set(basename(path), new TextEncoder().encode(code));
}

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

async function minifiedScript(text: string): Promise<string> {
  const { code = "" } = await minify(text, {
    module: true,
    ecma: 2020,
    compress: { passes: 2, keep_fargs: false, unsafe_arrows: true, pure_getters: true },
  });
  const options = { module: true, compress: { target: "es2023" }, mangle: { toplevel: true } } as const;
  return (await mangle("app.js", code, options)).code;
}
