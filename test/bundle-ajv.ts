/**
 * The part of Ajv that the package uses, as one module.
 *
 * Contract: taken from Ajv's TypeScript sources, because a bundler can leave out what is not used of those, and not of its CommonJS: two
 * fifths of the bytes. Fails when anything but Ajv itself would be needed, so Ajv's licence is the only one to pass on.
 */
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const AJV = resolve(import.meta.dirname, "../node_modules/ajv");
const SOURCES = join(AJV, "lib");

export const AJV_LICENSE = join(AJV, "LICENSE");

/** Leads imports of Ajv to its sources; for whoever bundles `src/` and wants what users of the package get. */
export const ajvFromSources: Plugin = {
  name: "ajv-from-sources",
  setup(pending) {
    pending.onResolve({ filter: /^ajv\/dist\/.*\.js$/ }, ({ path }) => {
      return { path: join(SOURCES, path.slice("ajv/dist".length).replace(/\.js$/, ".ts")), sideEffects: false };
    });
    pending.onResolve({ filter: /^/ }, async ({ path, resolveDir }) => {
      if (resolveDir !== SOURCES && !resolveDir.startsWith(`${SOURCES}/`)) return undefined;
      // A package whose functions are used nowhere is dropped; one that is used stays an import for everybody to see.
      if (!path.startsWith(".")) return { path, external: true, sideEffects: false };
      const stem = join(resolveDir, path);
      const file = await access(`${stem}.ts`).then(
        () => `${stem}.ts`,
        () => join(stem, "index.ts"),
      );
      return { path: file, sideEffects: false };
    });
  },
};

/** The source text of what `entry` exports of Ajv. */
export async function bundleAjv(entry: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    legalComments: "none",
    banner: { js: "// Parts of Ajv (https://ajv.js.org), MIT licence: see ajv-vendor.LICENSE.txt." },
    plugins: [ajvFromSources],
    // As Ajv compiles itself: fields without a value are types only.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    logLevel: "warning",
  });
  const [output] = Object.values(metafile.outputs);
  const foreign = output?.imports.map(({ path }) => path) ?? [];
  if (foreign.length > 0) throw new Error(`Ajv's sources need ${foreign.join(", ")}`);
  return outputFiles[0]?.text ?? "";
}
