import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimedVersion, parseRequestMeta, type RequestMeta } from "../../src/protocol/meta.ts";
import { LOG_LEVELS } from "../../src/protocol/types.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const INFO = "io.modelcontextprotocol/clientInfo";
const LEVEL = "io.modelcontextprotocol/logLevel";
const GOOD = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };

function accepted(meta: Record<string, unknown>): RequestMeta {
  const parsed = parseRequestMeta({ _meta: meta });
  if (parsed instanceof Error) throw parsed;
  return parsed;
}

describe("the claimed version", () => {
  test.each<[params: Record<string, unknown> | undefined, version: string | undefined]>([
    [{ _meta: { [VERSION]: "2026-07-28" } }, "2026-07-28"],
    [{ _meta: { [VERSION]: "" } }, ""],
    [{ _meta: { [VERSION]: 20260728 } }, undefined],
    [{ _meta: {} }, undefined],
    [{ _meta: null }, undefined],
    [{ _meta: [] }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("of %j is %j", (params, version) => {
    expect(claimedVersion(params)).toBe(version);
  });
});

describe("refused metadata", () => {
  test.each<{ name: string; params: Record<string, unknown> | undefined; names: string }>([
    { name: "no params", params: undefined, names: "_meta" },
    { name: "no _meta", params: {}, names: "_meta" },
    { name: "_meta that is null", params: { _meta: null }, names: "_meta" },
    { name: "_meta that is a list", params: { _meta: [] }, names: "_meta" },
    { name: "empty _meta", params: { _meta: {} }, names: VERSION },
    { name: "no version", params: { _meta: { [CAPABILITIES]: {} } }, names: VERSION },
    { name: "a numeric version", params: { _meta: { ...GOOD, [VERSION]: 20260728 } }, names: VERSION },
    { name: "no capabilities", params: { _meta: { [VERSION]: "2026-07-28" } }, names: CAPABILITIES },
    { name: "capabilities that are null", params: { _meta: { ...GOOD, [CAPABILITIES]: null } }, names: CAPABILITIES },
    {
      name: "capabilities that are a string",
      params: { _meta: { ...GOOD, [CAPABILITIES]: "x" } },
      names: CAPABILITIES,
    },
    { name: "capabilities that are a list", params: { _meta: { ...GOOD, [CAPABILITIES]: [] } }, names: CAPABILITIES },
    {
      name: "a capability that is true",
      params: { _meta: { ...GOOD, [CAPABILITIES]: { roots: true } } },
      names: CAPABILITIES,
    },
    { name: "a client without a name", params: { _meta: { ...GOOD, [INFO]: {} } }, names: INFO },
    { name: "a client without a version", params: { _meta: { ...GOOD, [INFO]: { name: "c" } } }, names: INFO },
    { name: "a client that is a string", params: { _meta: { ...GOOD, [INFO]: "c" } }, names: INFO },
    { name: "an unknown level", params: { _meta: { ...GOOD, [LEVEL]: "loud" } }, names: LEVEL },
    { name: "a level in capitals", params: { _meta: { ...GOOD, [LEVEL]: "ERROR" } }, names: LEVEL },
    { name: "a level of a prototype", params: { _meta: { ...GOOD, [LEVEL]: "toString" } }, names: LEVEL },
    { name: "a fractional token", params: { _meta: { ...GOOD, progressToken: 1.5 } }, names: "progressToken" },
    { name: "a token of null", params: { _meta: { ...GOOD, progressToken: null } }, names: "progressToken" },
    { name: "a token that is an object", params: { _meta: { ...GOOD, progressToken: {} } }, names: "progressToken" },
    { name: "a token that is true", params: { _meta: { ...GOOD, progressToken: true } }, names: "progressToken" },
    { name: "an infinite token", params: { _meta: { ...GOOD, progressToken: Infinity } }, names: "progressToken" },
    {
      name: "a token that no double holds",
      params: { _meta: { ...GOOD, progressToken: 2 ** 53 } },
      names: "progressToken",
    },
  ])("$name is −32602, naming the member", ({ params, names }) => {
    const parsed = parseRequestMeta(params);
    expect(parsed).toBeInstanceOf(Error);
    expect(parsed).toMatchObject({ code: -32602 });
    expect((parsed as Error).message).toContain(names);
  });

  test("says which members are missing and which are wrong", () => {
    expect((parseRequestMeta({ _meta: {} }) as Error).message).toContain("is missing");
    expect((parseRequestMeta({ _meta: { [VERSION]: 1 } }) as Error).message).toContain("must be a string");
  });

  test("never repeats a value", () => {
    const parsed = parseRequestMeta({ _meta: { ...GOOD, [LEVEL]: "SECRET" } });
    expect((parsed as Error).message).not.toContain("SECRET");
  });
});

describe("accepted metadata", () => {
  test("is complete with a version and capabilities, of any version", () => {
    const meta = { [VERSION]: "1900-01-01", [CAPABILITIES]: {} };
    expect(accepted(meta)).toEqual({
      version: "1900-01-01",
      capabilities: {},
      clientInfo: undefined,
      logLevel: undefined,
      progressToken: undefined,
      raw: meta,
    });
  });

  test("keeps capabilities, extensions and unknown members", () => {
    const capabilities = { elicitation: {}, extensions: { "com.example/x": {} }, future: { deep: true } };
    const parsed = accepted({ ...GOOD, [CAPABILITIES]: capabilities, "com.example/trace": 1 });
    expect(parsed.capabilities).toEqual(capabilities);
    expect(parsed.raw["com.example/trace"]).toBe(1);
  });

  test.each(LOG_LEVELS)("may ask for logs of %s", (level) => {
    expect(accepted({ ...GOOD, [LEVEL]: level }).logLevel).toBe(level);
  });

  test.each([0, "", -1, "0", Number.MAX_SAFE_INTEGER])("may ask for progress under the token %j", (progressToken) => {
    expect(accepted({ ...GOOD, progressToken }).progressToken).toBe(progressToken);
  });

  test("of any JSON value at all, parsing returns and does not throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        parseRequestMeta({ _meta: a });
        parseRequestMeta({ _meta: { [VERSION]: a, [CAPABILITIES]: b } });
        parseRequestMeta({ _meta: { ...GOOD, [INFO]: a, [LEVEL]: b } });
      }),
    );
  });
});
