/** Section J of the field cases: multi round-trip requests and elicitation. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/protocol/types.ts";
import { type Answer, ELICITS, expectError, textOf } from "./client.ts";
import type { Field } from "./field.ts";

const LAB = "/lab/mcp";

export function inputCases({ client }: Field): void {
  /** The second round of a call: the state of the first, with these answers. */
  async function retry(name: string, inputResponses: unknown, path = "/api/mcp"): Promise<Answer> {
    const first = await client.tool(name, {}, { path, meta: ELICITS });
    expect(first.result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const extra = { requestState: first.result?.["requestState"], inputResponses };
    return client.tool(name, {}, { id: 2, path, meta: ELICITS, extra });
  }

  describe("answers", () => {
    // MRTR-03
    it("asks again for an answer that is missing", async () => {
      expect((await retry("ask", {})).result).toMatchObject({
        resultType: "input_required",
        inputRequests: { answer: { method: "elicitation/create" } },
      });
    });

    it("ignores answers that it did not ask for", async () => {
      const answer = await retry("ask", { answer: accept({ text: "yes" }), other: accept({ x: 1 }) });
      expect(textOf(answer)).toBe("anything: yes");
    });

    it.each([
      [[]],
      [{ answer: null }],
      [{ answer: { action: "maybe" } }],
      [{ answer: { action: "accept" } }],
      [{ answer: "yes" }],
    ])("refuses the malformed answers %j", async (responses) => {
      expect((await retry("ask", responses)).error?.code).toBe(-32602);
    });

    it.each(["decline", "cancel"])("lets the handler know of %s", async (action) => {
      expect(textOf(await retry("ask", { answer: { action } }))).toBe(`anything: ${action}`);
    });

    // MRTR-04
    it("does not let a completer ask", async () => {
      const params = { ref: { type: "ref/prompt", name: "curious" }, argument: { name: "about", value: "x" } };
      const answer = await client.call("completion/complete", params, { path: LAB, meta: ELICITS });
      expect(answer.result).toBeUndefined();
      expect(answer.error?.code).toBe(-32603);
    });

    it.each([
      ["ask", "/api/mcp", { elicitation: { form: {} } }],
      ["ask_url", "/api/mcp", { elicitation: { url: {} } }],
      ["ask_model", LAB, { sampling: {} }],
      ["ask_roots", LAB, { roots: {} }],
    ])(
      "refuses %s to a client that cannot answer, and names what it lacks",
      async (name, path, requiredCapabilities) => {
        const answer = await client.tool(name, {}, { path });
        expectError(answer, 400, -32021);
        expect(answer.error?.data).toEqual({ requiredCapabilities });
      },
    );
  });

  describe("forms", () => {
    // ELI-02
    it.each<[string, JsonObject]>([
      ["text with digits for an integer", { price: 1, age: "42xyz" }],
      ["a fraction for an integer", { price: 1, age: 4.5 }],
      ["a choice that is not there", { price: 1, size: "XL" }],
      ["an unknown choice among several", { price: 1, toppings: ["ham", "fish"] }],
      ["more choices than allowed", { price: 1, toppings: ["ham", "egg", "basil"] }],
      ["a required field that is missing", { age: 42 }],
      ["a field that the form has not", { price: 1, admin: true }],
      ["a day that no calendar has", { price: 1, day: "2026-02-30" }],
    ])("does not hand %s to the handler", async (_what, content) => {
      const answer = await retry("ask_form", { form: accept(content) }, LAB);
      expect(answer.result?.["content"]).toBeUndefined();
      expect(answer.error?.code).toBe(-32602);
    });

    // ELI-03
    it.each<JsonObject>([
      { price: 3.5 },
      { price: 0.1, age: 42, size: "M", day: "2028-02-29", toppings: ["ham", "egg"] },
    ])("hands %j to the handler as it is", async (content) => {
      const answer = await retry("ask_form", { form: accept(content) }, LAB);
      expect(JSON.parse(textOf(answer))).toEqual(content);
    });
  });
}

function accept(content: JsonObject): JsonObject {
  return { action: "accept", content };
}
