/**
 * Makes the package: `src/` without the example Worker, as modules and declarations, with what they use of Ajv in place of imports.
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
const ENGINE = "schema/ajv";

/** @throws when the sources do not compile; what is wrong is printed. */
export async function buildPackage(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const name of await readdir(into)) {
    if (name !== KEPT) await rm(join(into, name), { recursive: true });
  }
  await compile(into);
  for (const path of await readdir(into, { recursive: true })) {
    // In the engine's module; their declarations speak of Ajv's types, which users do not have.
    if (path.startsWith(`${ENGINE}-`)) await rm(join(into, path));
    else if (path.endsWith(".d.ts")) await finishDeclarations(join(into, path));
  }
  await writeFile(join(into, `${ENGINE}.js`), await bundleAjv(join(ROOT, `src/${ENGINE}.ts`)));
  await copyFile(AJV_LICENSE, join(into, `${ENGINE}.LICENSE.txt`));
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

/** The compiler rewrites imports to what it emits in modules, but not in declarations. */
async function finishDeclarations(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
