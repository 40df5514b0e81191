import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { ajvEngine } from "../../src/schema/ajv.ts";

/** What `Function` does in a Worker's request and under a strict CSP. */
function NoFunction(): never {
  throw new EvalError("Code generation from strings disallowed for this context");
}

afterEach(() => vi.unstubAllGlobals());

setFlagsFromString("--expose-gc");
// The flag makes `gc` appear in contexts created after it.
const collect: () => void = runInNewContext("gc");

function heapAfterGarbageCollection(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test("equal schemas, parsed afresh, are compiled once", () => {
  const engine = ajvEngine();
  const text = JSON.stringify({ type: "object", properties: { a: { type: "string" } } });
  expect(engine.compile(JSON.parse(text))).toBe(engine.compile(JSON.parse(text)));
});

test("10,000 compiles of equal schemas leave the heap as it was", () => {
  const engine = ajvEngine();
  const text = JSON.stringify({ type: "object", properties: { a: { type: "string" }, b: { enum: ["x", "y"] } } });
  engine.compile(JSON.parse(text));
  const before = heapAfterGarbageCollection();
  for (let turn = 0; turn < 10_000; turn++) engine.compile(JSON.parse(text))({ a: "x" });
  expect(heapAfterGarbageCollection() - before).toBeLessThan(2_000_000);
});

test("different schemas, again and again, are forgotten", () => {
  const engine = ajvEngine();
  const compile = (from: number): void => {
    for (let turn = from; turn < from + 500; turn++)
      engine.compile({ $id: `https://a.test/${turn}`, properties: { [`p${turn}`]: { type: "string" } } });
  };
  compile(0);
  const before = heapAfterGarbageCollection();
  compile(1_000);
  expect(heapAfterGarbageCollection() - before).toBeLessThan(6_000_000);
});

test("where code generation is forbidden, compile names the engine to use", () => {
  vi.stubGlobal("Function", NoFunction);
  expect(() => ajvEngine().compile({ type: "string" })).toThrow(/need the interpreter engine/);
});

test("nothing is written to the console", () => {
  const spy = vi.spyOn(console, "warn");
  ajvEngine().compile({ "x-any": 1, format: "uint64", minContains: 1, else: {}, prefixItems: [{}], nullable: true });
  expect(spy).not.toHaveBeenCalled();
});
