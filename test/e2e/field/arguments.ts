/** Section A of the field cases, second half: what is inside `params`. */
import { describe, expect, it } from "vitest";
import { expectError, textOf } from "./client.ts";
import type { Field } from "./field.ts";

export function argumentCases({ client }: Field): void {
  describe("arguments", () => {
    // RPC-12
    it("takes absent arguments for an empty object, of tools and of prompts", async () => {
      expect(await client.tool("who")).toMatchObject({ status: 200, result: { resultType: "complete" } });
      const prompt = await client.call("prompts/get", { name: "curious" }, { path: "/lab/mcp" });
      expect(prompt.result).toHaveProperty("messages");
    });

    it.each([null, "{}", []])("refuses %j as arguments", async (args) => {
      const answer = await client.tool("who", args);
      expect(answer.error?.code).toBe(-32602);
      expect(answer.result).toBeUndefined();
    });

    it("refuses a request without params, because it has no _meta", async () => {
      expectError(await client.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), 400, -32602);
    });

    // RPC-13
    it.each([{ text: 5 }, {}])("reports arguments that the schema refuses (%j) as the tool's error", async (args) => {
      const answer = await client.tool("echo", args);
      expect(answer).toMatchObject({ status: 200, result: { isError: true, resultType: "complete" } });
      expect(textOf(answer)).toContain("text");
    });

    it("has no tool that it does not list", async () => {
      expect((await client.tool("nope", {})).error?.code).toBe(-32602);
    });

    it("keeps the message of an unexpected error to itself", async () => {
      const answer = await client.tool("fail", {});
      expect(answer).toMatchObject({ status: 200, result: { isError: true } });
      expect(answer.text).not.toMatch(/home|secret|ENOENT|\bat \w+/);
    });

    it("can be checked by the interpreter when a schema arrives late, where code generation is refused", async () => {
      const lines = textOf(await client.call("tools/call", { name: "late" }, { path: "/lab/mcp" })).split("\n");
      expect(lines[0]).toMatch(/^ajv: .*interpreter engine/);
      expect(lines[1]).toBe('interpreter: [{"path":"/n","message":"must be integer"}]');
    });

    // RPC-14
    it.each([
      ["an unknown prompt", { name: "nope" }, "nope"],
      ["a missing argument", { name: "greet" }, "name"],
      ["an extra argument", { name: "greet", arguments: { name: "x", extra: "y" } }, "extra"],
      ["an argument that is no string", { name: "greet", arguments: { name: 5 } }, "name"],
    ])("refuses %s and names it", async (_what, params, named) => {
      const { error } = await client.call("prompts/get", params);
      expect(error?.code).toBe(-32602);
      expect(error?.message).toContain(named);
    });

    it("takes an empty string for a value", async () => {
      const { result } = await client.call("prompts/get", { name: "greet", arguments: { name: "" } });
      expect(result).toMatchObject({ messages: [{ content: { text: "Hello, !" } }] });
    });
  });
}
