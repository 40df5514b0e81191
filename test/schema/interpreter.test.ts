import { build } from "esbuild";
import { afterEach, expect, test, vi } from "vitest";
import { interpreterEngine } from "../../src/schema/interpreter.ts";

/** What `Function` does in a Worker's request and under a strict CSP. */
function NoFunction(): never {
  throw new EvalError("Code generation from strings disallowed for this context");
}

afterEach(() => vi.unstubAllGlobals());

test("it works where code generation is forbidden", () => {
  vi.stubGlobal("Function", NoFunction);
  expect(interpreterEngine().compile({ type: "string" })(1)).toEqual([{ path: "", message: "must be string" }]);
});

test("its bundle holds neither Ajv nor code generation", async () => {
  const entry = new URL("../../src/schema/interpreter.ts", import.meta.url).pathname;
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
  });
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("node_modules"))).toEqual([]);
  expect(outputFiles[0]?.text).not.toMatch(/new Function|\beval\(/);
});
