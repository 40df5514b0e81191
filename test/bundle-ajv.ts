/**
 * The module of the package that brings along what it uses of Ajv, so that users install no dependency.
 *
 * Contract: Ajv is taken from Ajv's TypeScript sources, of which a bundler can leave out what is not used, which it
 * cannot with CommonJS. Fails when anything but Ajv itself would be needed, so Ajv's licence is the only one to pass on.
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

/** Ours, but of no use to any other module. */
const BROUGHT_ALONG = /^\.\/ajv-[^/]*\.ts$/;

const othersStayApart: Plugin = {
  name: "others-stay-apart",
  setup(pending) {
    pending.onResolve({ filter: /^\.\/[^/]*\.ts$/ }, ({ path }) => {
      return BROUGHT_ALONG.test(path) ? undefined : { path: path.replace(/\.ts$/, ".js"), external: true };
    });
  },
};

/** @param engine the path of `src/schema/ajv.ts` */
export async function bundleAjv(engine: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [engine],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    legalComments: "none",
    banner: { js: "// With parts of Ajv (https://ajv.js.org), MIT licence: see ajv.LICENSE.txt." },
    plugins: [ajvFromSources, othersStayApart],
    // As Ajv compiles itself: fields without a value are types only.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    // It warns about imports that, being unused, are left out.
    logLevel: "error",
  });
  const [output] = Object.values(metafile.outputs);
  const foreign = output?.imports.map(({ path }) => path).filter((path) => !path.startsWith("./")) ?? [];
  if (foreign.length > 0) throw new Error(`Ajv's sources need ${foreign.join(", ")}`);
  return outputFiles[0]?.text ?? "";
}
