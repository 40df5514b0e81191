/**
 * Tools that ask the client for something before they answer.
 *
 * Most ask through `ctx`; the one about `requestState` makes its interim result by hand, so that both ways are run.
 */
import type { McpServer } from "../../src/index.ts";

const NAME_FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const COLOR_FORM = { type: "object", properties: { color: { type: "string" } }, required: ["color"] } as const;
const OK_FORM = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } as const;

export function addInputTools(server: McpServer): void {
  addSingleQuestions(server);
  addCapabilityTools(server);
  addSeveralQuestions(server);
  addStateTools(server);
}

function addSingleQuestions(server: McpServer): void {
  server.tool("test_input_required_result_elicitation", { description: "Asks for a name" }, async (_args, ctx) => {
    const answer = await ctx.elicit("user_name", { message: "What is your name?", schema: NAME_FORM });
    return answer.action === "accept" ? `Hello, ${answer.content?.name}!` : `You chose to ${answer.action}.`;
  });
  server.tool("test_input_required_result_sampling", { description: "Asks the model" }, async (_args, ctx) => {
    const { content } = await ctx.sample("capital_question", capitalQuestion());
    return JSON.stringify(content);
  });
  server.tool("test_input_required_result_list_roots", { description: "Asks for the roots" }, async (_args, ctx) => {
    const { roots } = await ctx.roots("client_roots");
    return `Roots: ${roots.map(({ uri }) => uri).join(", ")}`;
  });
  server.tool("test_streaming_elicitation", { description: "Reports progress, then asks" }, async (_args, ctx) => {
    ctx.progress(1, 2);
    const { action } = await ctx.elicit("confirm", { message: "Please confirm", schema: OK_FORM });
    return `You chose to ${action}.`;
  });
}

function addCapabilityTools(server: McpServer): void {
  server.tool("test_missing_capability", { description: "Needs sampling" }, async (_args, ctx) => {
    const { content } = await ctx.sample("capital_question", capitalQuestion());
    return JSON.stringify(content);
  });
  server.tool(
    "test_input_required_result_capabilities",
    { description: "Asks for whatever the client declared" },
    async (_args, ctx) => {
      const { elicitation, sampling } = ctx.client.capabilities;
      const answers = await ctx.input({
        ...(elicitation !== undefined && { user_name: { message: "What is your name?", schema: NAME_FORM } }),
        ...(sampling !== undefined && { capital_question: capitalQuestion() }),
      });
      return `Answered: ${Object.keys(answers).join(", ")}`;
    },
  );
}

function addSeveralQuestions(server: McpServer): void {
  server.tool(
    "test_input_required_result_multiple_inputs",
    { description: "Asks three things" },
    async (_args, ctx) => {
      const { client_roots } = await ctx.input({
        user_name: { message: "What is your name?", schema: NAME_FORM },
        greeting: {
          messages: [{ role: "user", content: { type: "text", text: "Generate a greeting" } }],
          maxTokens: 50,
        },
        client_roots: { roots: true },
      });
      return `Answered, with ${client_roots.roots.length} roots.`;
    },
  );
  server.tool("test_input_required_result_multi_round", { description: "Asks twice" }, async (_args, ctx) => {
    const name = await ctx.elicit("step1", { message: "Step 1: What is your name?", schema: NAME_FORM });
    const color = await ctx.elicit("step2", { message: "Step 2: What is your favorite color?", schema: COLOR_FORM });
    return `${name.content?.name} likes ${color.content?.color}.`;
  });
}

function addStateTools(server: McpServer): void {
  server.tool("test_input_required_result_request_state", { description: "Remembers by hand" }, (_args, ctx) => {
    if (ctx.requestState === "asked") return "state-ok";
    return {
      resultType: "input_required",
      inputRequests: {
        confirm: {
          method: "elicitation/create",
          params: { mode: "form", message: "Please confirm", requestedSchema: OK_FORM },
        },
      },
      requestState: "asked",
    };
  });
  server.tool("test_input_required_result_tampered_state", { description: "Asks once" }, async (_args, ctx) => {
    const { action } = await ctx.elicit("confirm", { message: "Please confirm", schema: OK_FORM });
    return `You chose to ${action}.`;
  });
}

function capitalQuestion() {
  return {
    messages: [{ role: "user" as const, content: { type: "text" as const, text: "What is the capital of France?" } }],
    maxTokens: 100,
  };
}
