/**
 * Makes the package: `src/` without the example Worker, as modules and declarations, with the used part of Ajv in place of an import.
 *
 * Contract: `into` is cleared first, except of the page, which another script makes.
 */
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AJV_LICENSE, bundleAjv } from "./bundle-ajv.ts";

const ROOT = resolve(import.meta.dirname, "..");
const KEPT = "web";
/** The deployable example. It composes the package and is no part of it. */
const NOT_PACKAGED = ["src/worker.ts", "src/pinboard"];
const VENDORED = "schema/ajv-vendor";

/** @throws when the sources do not compile; what is wrong is printed. */
export async function buildPackage(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const name of await readdir(into)) {
    if (name !== KEPT) await rm(join(into, name), { recursive: true });
  }
  await compile(into);
  for (const path of await readdir(into, { recursive: true })) {
    if (path.endsWith(".d.ts")) await finishDeclarations(into, path);
  }
  await writeFile(join(into, `${VENDORED}.js`), await bundleAjv(join(ROOT, `src/${VENDORED}.ts`)));
  await copyFile(AJV_LICENSE, join(into, `${VENDORED}.LICENSE.txt`));
}

async function compile(into: string): Promise<void> {
  const config = join(into, "tsconfig.json");
  const modules = join(ROOT, "node_modules");
  await writeFile(
    config,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { rootDir: join(ROOT, "src"), outDir: ".", typeRoots: [join(modules, "@types"), modules] },
      include: [join(ROOT, "src")],
      exclude: NOT_PACKAGED.map((path) => join(ROOT, path)),
    }),
  );
  try {
    const { status } = spawnSync(process.execPath, [join(modules, "typescript/bin/tsc"), "-p", config], {
      stdio: "inherit",
    });
    if (status !== 0) throw new Error("the sources do not compile");
  } finally {
    await rm(config);
  }
}

async function finishDeclarations(into: string, path: string): Promise<void> {
  const file = join(into, path);
  // These speak of Ajv's types, which users do not have; no entry's declarations mention them.
  if (path.startsWith("schema/ajv-")) return rm(file);
  // The compiler rewrites imports to what it emits in modules, but not in declarations.
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
