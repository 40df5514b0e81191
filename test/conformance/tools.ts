/**
 * Tools that answer in one round: each kind of content, progress, logs, a failure, a large schema, mirrored headers.
 *
 * The suite's header scenario calls the first tool without arguments, so that one must take none.
 */
import { audio, image, type McpServer, ToolError } from "../../src/index.ts";
import { RED_PIXEL, silence } from "./media.ts";

export function addTools(server: McpServer): void {
  addContentTools(server);
  addReportingTools(server);
  addSchemaTools(server);
  addChangingTools(server);
}

function addContentTools(server: McpServer): void {
  server.tool("test_simple_text", { description: "Returns a line of text" }, () => {
    return "This is a simple text response for testing.";
  });
  server.tool("test_image_content", { description: "Returns an image" }, () => image(RED_PIXEL, "image/png"));
  server.tool("test_audio_content", { description: "Returns a sound" }, () => audio(silence(), "audio/wav"));
  server.tool("test_embedded_resource", { description: "Returns a resource" }, () => ({
    type: "resource",
    resource: {
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    },
  }));
  server.tool("test_multiple_content_types", { description: "Returns text, an image and a resource" }, () => [
    { type: "text", text: "Multiple content types test:" },
    image(RED_PIXEL, "image/png"),
    {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    },
  ]);
  server.tool("test_error_handling", { description: "Always fails" }, () => {
    throw new ToolError("This tool intentionally returns an error for testing");
  });
}

const PAUSE_MS = 50;

function addReportingTools(server: McpServer): void {
  server.tool("test_tool_with_progress", { description: "Reports progress three times" }, async (_args, ctx) => {
    for (const progress of [0, 50, 100]) {
      ctx.progress(progress, 100);
      await pause();
    }
    return "Completed with progress.";
  });
  server.tool("test_logging_tool", { description: "Logs three times" }, async (_args, ctx) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      ctx.log("info", line, "test_logging_tool");
      await pause();
    }
    return "Completed with logs.";
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

function addSchemaTools(server: McpServer): void {
  server.tool(
    "json_schema_2020_12_tool",
    {
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a schema is not awaited.
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      },
    },
    (args) => `Called with ${JSON.stringify(args)}`,
  );
  server.tool(
    "test_region_header",
    {
      description: "Mirrors its region into a header",
      inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
    },
    ({ region = "nowhere" }) => `Region: ${region}`,
  );
}

/** The lists of a server never change while it runs, but what it says of them can be heard. */
function addChangingTools(server: McpServer): void {
  server.tool("test_trigger_tool_change", { description: "Says that the tools changed" }, (_args, { notify }) => {
    void notify.toolsChanged();
    return "The tool list has changed.";
  });
  server.tool("test_trigger_prompt_change", { description: "Says that the prompts changed" }, (_args, { notify }) => {
    void notify.promptsChanged();
    return "The prompt list has changed.";
  });
}
