/** Section I of the field cases: resources, lists, caching, completion. */
import { describe, expect, it } from "vitest";
import { bytes } from "../../field/resources.ts";
import { type Answer, ELICITS } from "./client.ts";
import type { Field } from "./field.ts";

const LAB = "/lab/mcp";

export function listCases({ client }: Field): void {
  const read = (uri: string, path = "/api/mcp"): Promise<Answer> => client.call("resources/read", { uri }, { path });

  describe("resources", () => {
    // RES-01
    it.each(["nope://x", "", "not a uri", "notes://secret"])(
      "finds no resource at %j, and says so by code",
      async (uri) => {
        const { result, error } = await read(uri);
        expect(result).toBeUndefined();
        expect(error).toMatchObject({ code: -32602, data: { uri } });
      },
    );

    it.each([
      ["notes://a/b/c", { path: "a/b/c" }],
      ["users://j%C3%BCrgen", { name: "jürgen" }],
      ["find://items?q=x&limit=2", { q: "x", limit: "2" }],
    ])("reads %s through its template", async (uri, variables) => {
      const { result } = await read(uri);
      expect(result).toMatchObject({ contents: [{ uri, mimeType: "application/json" }] });
      expect(JSON.parse(contentOf(result).text ?? "")).toEqual(variables);
    });

    // RES-02
    it.each([0, 1, 2, 3, 131_072, 4_194_304])("sends %i bytes as standard padded Base64", async (length) => {
      const { result } = await read(`bin://blob/${length}`, LAB);
      expect(contentOf(result).blob === Buffer.from(bytes(length)).toString("base64")).toBe(true);
    });
  });

  const complete = (value: string, more?: object): Promise<Answer> =>
    client.call("completion/complete", {
      ref: { type: "ref/resource", uri: "users://{name}" },
      argument: { name: "name", value },
      ...more,
    });

  describe("completion", () => {
    // CMP-01
    it("suggests a hundred values at most and says that there are more", async () => {
      const { result } = await complete("");
      const values = Array.from({ length: 100 }, () => expect.any(String));
      expect(result).toMatchObject({ completion: { values, total: 250, hasMore: true } });
    });

    it("hands settled arguments to the completer", async () => {
      const { result } = await complete("ann", { context: { arguments: { language: "py" } } });
      expect(result).toMatchObject({ completion: { values: ["ann-py"], hasMore: false } });
    });

    it.each([{ type: "ref/prompt", name: "nope" }, { type: "ref/resource", uri: "nope://{x}" }, { type: "ref/tool" }])(
      "refuses the reference %j",
      async (ref) => {
        expect((await complete("", { ref })).error?.code).toBe(-32602);
      },
    );
  });

  describe("lists", () => {
    // PAG-02
    it.each(["staff", "guest"])("walks the same pages twice for %s, each with the same hints", async (who) => {
      const once = await walk(who);
      const twice = await walk(who);
      expect(twice).toEqual(once);
      expect(new Set(once.names).size).toBe(once.names.length);
      expect(once.names.includes("item_00")).toBe(who === "staff");
      expect(new Set(once.hints)).toEqual(new Set(["0 private"]));
    });

    // CACHE-02
    it.each([
      ["server/discover", {}],
      ["tools/list", {}],
      ["prompts/list", {}],
      ["resources/list", {}],
      ["resources/templates/list", {}],
      ["resources/read", { uri: "bin://blob" }],
    ])("says how long a result of %s may be kept", async (method, params) => {
      const { result } = await client.call(method, params);
      expect(result).toMatchObject({ resultType: "complete", ttlMs: expect.any(Number) });
      expect(result?.["cacheScope"]).toBeOneOf(["public", "private"]);
    });

    it("says nothing of the kind about a question", async () => {
      const { result } = await client.call("resources/read", { uri: "asks://why" }, { path: LAB, meta: ELICITS });
      expect(result).toMatchObject({ resultType: "input_required" });
      expect(result).not.toHaveProperty("ttlMs");
      expect(result).not.toHaveProperty("cacheScope");
    });
  });

  async function walk(who: string): Promise<{ names: string[]; hints: string[] }> {
    const names: string[] = [];
    const hints: string[] = [];
    for (let cursor: unknown, page = 0; page === 0 || cursor !== undefined; page += 1) {
      const options = { path: LAB, headers: { "x-probe": who } };
      const { result } = await client.call("tools/list", cursor === undefined ? {} : { cursor }, options);
      const tools = (result?.["tools"] ?? []) as { name: string }[]; // A list result has an array of tools.
      names.push(...tools.map(({ name }) => name));
      hints.push(`${String(result?.["ttlMs"])} ${String(result?.["cacheScope"])}`);
      cursor = result?.["nextCursor"];
    }
    return { names, hints };
  }
}

function contentOf(result: Answer["result"]): { text?: string; blob?: string } {
  const [content = {}] = (result?.["contents"] ?? []) as object[]; // Of a read result, always an array of objects.
  return content;
}
