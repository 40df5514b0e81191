import { expect, test } from "vitest";
import {
  clip,
  headerMismatch,
  invalidParams,
  McpError,
  methodNotFound,
  missingCapability,
  ProtocolError,
  ToolError,
  unsupportedVersion,
} from "../../src/protocol/errors.ts";

test("each kind of protocol error has the code that the specification gives it", () => {
  expect(invalidParams("m").code).toBe(-32602);
  expect(methodNotFound("m").code).toBe(-32601);
  expect(headerMismatch("m").code).toBe(-32020);
  expect(missingCapability({ roots: {} }).code).toBe(-32021);
  expect(unsupportedVersion("x", ["2026-07-28"]).code).toBe(-32022);
});

test("a missing capability says what to declare", () => {
  const error = missingCapability({ elicitation: { url: {} } });
  expect(error.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } });
  expect(error.message).toContain("elicitation");
});

test("an unsupported version says what was asked for and what there is", () => {
  const error = unsupportedVersion("2027-01-01", ["2026-07-28"]);
  expect(error.data).toEqual({ supported: ["2026-07-28"], requested: "2027-01-01" });
  expect(error.message).toContain("2026-07-28");
});

test("an unknown method is named, up to a length", () => {
  expect(methodNotFound("ping").message).toBe("Method not found: ping");
  expect(methodNotFound("x".repeat(1_000_000)).message.length).toBeLessThan(200);
});

test("clipping leaves short text alone and never cuts a surrogate pair", () => {
  expect(clip("short")).toBe("short");
  expect(clip("x".repeat(128))).toBe("x".repeat(128));
  expect(clip("x".repeat(129))).toBe(`${"x".repeat(128)}…`);
  const clipped = clip(`${"x".repeat(127)}😀`);
  expect(clipped).toBe(`${"x".repeat(127)}…`);
  expect(clipped.isWellFormed()).toBe(true);
});

test("the three kinds of error are told apart by class and name", () => {
  const local = new McpError("aborted", "m", { cause: "c" });
  expect(local).toMatchObject({ name: "McpError", code: "aborted", cause: "c" });
  expect(new ProtocolError(1, "m")).toMatchObject({ name: "ProtocolError", code: 1, data: undefined });
  expect(new ToolError("m")).toMatchObject({ name: "ToolError", message: "m" });
  expect(local).not.toBeInstanceOf(ProtocolError);
});
