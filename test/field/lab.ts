/**
 * What single cases need beyond the open endpoint: handlers that misbehave, questions of every kind, long lists, and
 * blobs of any size.
 */
import type { McpServer, RequestContext } from "../../src/index.ts";
import { ajvEngine } from "../../src/schema/ajv.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { bytes } from "./resources.ts";
import { wait } from "./wait.ts";

export function addLab(server: McpServer): void {
  addUnrulyTools(server);
  addQuestions(server);
  addLists(server);
  server.resource("bin://blob/{length}", { name: "blobs", mimeType: "application/octet-stream" }, (_uri, { length }) =>
    /^\d{1,8}$/.test(length) ? bytes(Number(length)) : undefined,
  );
}

function addUnrulyTools(server: McpServer): void {
  server.tool("log", { description: "Logs at two levels" }, (_args, ctx) => {
    ctx.log("info", "for the curious");
    ctx.log("error", { reason: "for everybody" }, "lab");
    return "Logged.";
  });
  server.tool(
    "stubborn",
    {
      description: "Waits, reports and logs whether anybody listens or not",
      inputSchema: { type: "object", properties: { ms: { type: "integer" } }, required: ["ms"] },
    },
    ({ ms }, ctx) => wait(ms, ctx, { stubborn: true }),
  );
  server.tool(
    "say",
    {
      description: "Returns a text after reporting it as progress, so that it travels in a stream",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
    ({ text }, ctx) => {
      ctx.progress(1, 1, text);
      return text;
    },
  );
  server.tool(
    "tree",
    {
      description: "Takes a value of any depth",
      inputSchema: {
        type: "object",
        properties: { value: { $ref: "#/$defs/tree" } },
        required: ["value"],
        $defs: { tree: { type: ["array", "integer"], items: { $ref: "#/$defs/tree" } } },
      },
    },
    () => "A tree.",
  );
  server.tool("late", { description: "Compiles a schema while a request is handled, with either engine" }, () => {
    const outcomes = [ajvEngine(), interpreterEngine()].map((engine) => {
      try {
        return `${engine.name}: ${JSON.stringify(engine.compile(LATE_SCHEMA)({ n: "1" }))}`;
      } catch (error) {
        return `${engine.name}: ${error instanceof Error ? error.message : "?"}`;
      }
    });
    return outcomes.join("\n");
  });
}

const LATE_SCHEMA = { type: "object", properties: { n: { type: "integer" } } };

function addQuestions(server: McpServer): void {
  server.tool("ask_form", { description: "Asks for each kind of field" }, async (_args, ctx) => {
    const answer = await ctx.elicit("form", {
      message: "Please fill in",
      schema: {
        type: "object",
        properties: {
          age: { type: "integer" },
          price: { type: "number" },
          size: { type: "string", enum: ["S", "M"] },
          day: { type: "string", format: "date" },
          toppings: {
            type: "array",
            maxItems: 2,
            items: {
              anyOf: [
                { const: "ham", title: "Ham" },
                { const: "egg", title: "Egg" },
                { const: "basil", title: "Basil" },
              ],
            },
          },
        },
        required: ["price"],
      },
    });
    return JSON.stringify(answer.content ?? null);
  });
  server.tool("ask_model", { description: "Asks the model" }, async (_args, ctx) => {
    const { model } = await ctx.sample("model", {
      messages: [{ role: "user", content: { type: "text", text: "Say something" } }],
      maxTokens: 10,
    });
    return model;
  });
  server.tool("ask_roots", { description: "Asks for roots" }, async (_args, ctx) => {
    const { roots } = await ctx.roots();
    return String(roots.length);
  });
  server.resource("asks://{question}", { name: "asks" }, async (uri, { question }, ctx) => {
    const { action } = await ctx.elicit("answer", {
      message: question,
      schema: { type: "object", properties: { text: { type: "string" } } },
    });
    return `${uri}: ${action}`;
  });
  server.prompt(
    "curious",
    {
      description: "Its completer breaks the rules",
      arguments: [
        {
          name: "about",
          complete: async (value: string, _context: unknown, ctx: RequestContext) => {
            await ctx.elicit("why", { message: `Why ${value}?`, schema: { type: "object", properties: {} } });
            return [];
          },
        },
      ],
    },
    ({ about = "nothing" }) => about,
  );
}

const LIST_LENGTH = 25;

/** With what is registered above, more than two pages; some for callers with a certain header alone. */
function addLists(server: McpServer): void {
  for (let index = 0; index < LIST_LENGTH; index += 1) {
    const name = `item_${String(index).padStart(2, "0")}`;
    const restricted = index % 5 === 0;
    server.tool(
      name,
      {
        description: "One of many",
        ...(restricted && { visibleTo: ({ request }) => request?.headers.get("x-probe") === "staff" }),
      },
      () => name,
    );
  }
}
