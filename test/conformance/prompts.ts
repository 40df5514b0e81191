/** Prompts: plain, with arguments and completion, with embedded content, and one that asks first. */
import { image, type McpServer } from "../../src/index.ts";
import { RED_PIXEL } from "./media.ts";

export function addPrompts(server: McpServer): void {
  server.prompt("test_simple_prompt", { description: "A prompt without arguments" }, () => {
    return "This is a simple prompt for testing.";
  });
  server.prompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with two arguments",
      arguments: [
        {
          name: "arg1",
          description: "First test argument",
          required: true,
          complete: (value: string) =>
            ["testValue1", "testValue2", "paris", "park"].filter((word) => word.startsWith(value)),
        },
        { name: "arg2", description: "Second test argument", required: true },
      ],
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );
  server.prompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource in it",
      arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    },
    ({ resourceUri: uri }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        },
      },
      { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
    ],
  );
  server.prompt("test_prompt_with_image", { description: "A prompt with an image in it" }, () => [
    { role: "user", content: image(RED_PIXEL, "image/png") },
    { role: "user", content: { type: "text", text: "Please analyze the image above." } },
  ]);
  server.prompt("test_input_required_result_prompt", { description: "Asks for its context" }, async (_args, ctx) => {
    const answer = await ctx.elicit("user_context", {
      message: "What context should the prompt use?",
      schema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
    });
    return `Context: ${answer.content?.context ?? "none"}`;
  });
}
