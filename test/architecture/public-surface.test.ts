/** What each entry exports, so that a name comes or goes only on purpose. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import * as clientLegacy from "../../src/client-legacy.ts";
import * as clientOAuth from "../../src/client-oauth.ts";
import * as client from "../../src/client.ts";
import * as core from "../../src/core.ts";
import * as index from "../../src/index.ts";
import * as subscriptions from "../../src/subscriptions.ts";
import * as node from "../../src/node.ts";
import * as ajv from "../../src/schema/ajv.ts";
import * as interpreter from "../../src/schema/interpreter.ts";
import { ROOT } from "../kit/source-files.ts";

const VALUES = [
  "ErrorCode",
  "MODERN_VERSION",
  "McpError",
  "McpServer",
  "ProtocolError",
  "SUPPORTED_VERSIONS",
  "SchemaError",
  "ToolError",
  "audio",
  "createFetchHandler",
  "image",
];

const TYPES = `
  AllowedHosts AllowedOrigins Annotations Answer AnySchema AudioContent AuthInfo Authenticate Awaitable BlobResourceContents
  CacheScope CallToolResult Caller ClientCapabilities Completer ContentBlock CreateMessageParams
  CreateMessageResult DynamicResource DynamicTool ElicitResult EmbeddedResource Exchange FetchHandler
  FetchHandlerOptions FormContent FormElicitation FormQuestion FormSchema FromEnv GetPromptResult Icon
  ImageContent Implementation InferInput InferOutput InputRequest InterimResult JsonObject JsonSchema JsonValue
  ListRootsResult LogLevel Notifier PromptArgument PromptArgumentDefinition PromptArguments PromptDefinition
  PromptHandler PromptMessage PromptReturn Provider Question ReadResourceResult RequestContext ResourceContents
  ResourceDefinition ResourceLink ResourceReader ResourceReturn Role RootsQuestion RuntimeContext
  SamplingContent SamplingMessage SamplingQuestion SchemaCheck SchemaEngine SchemaIssue ServerCapabilities
  ServerOptions StateKeys SubscriptionService TextContent TextResourceContents ToolAnnotations ToolDefinition ToolHandler ToolResult
  ToolReturn TraceContext UriVariables UrlElicitation UrlQuestion
`
  .split(/\s+/)
  .filter((name) => name !== "");

describe("values", () => {
  test.each<[string, object, string[]]>([
    ["mcp-edge", index, VALUES],
    ["mcp-edge/core", core, VALUES],
    ["mcp-edge/ajv", ajv, ["ajvEngine"]],
    ["mcp-edge/interpreter", interpreter, ["interpreterEngine"]],
    ["mcp-edge/subscriptions", subscriptions, ["Subscriptions", "memoryBus"]],
    [
      "mcp-edge/client",
      client,
      [
        "ErrorCode",
        "McpClient",
        "McpError",
        "ProtocolError",
        "formDefaults",
        "indexedDbStore",
        "isPendingInput",
        "memoryStore",
        "resultCache",
      ],
    ],
    [
      "mcp-edge/client/oauth",
      clientOAuth,
      [
        "announceCallback",
        "authorizationCode",
        "clientCredentials",
        "dpop",
        "enterpriseManaged",
        "importPrivateKey",
        "indexedDbOAuthStore",
        "interactionBy",
        "keyClient",
        "memoryOAuthStore",
        "oauthProvider",
        "popup",
        "redirect",
        "secretClient",
        "workloadIdentity",
      ],
    ],
    ["mcp-edge/client/legacy", clientLegacy, ["legacyFallback", "streamableFallback"]],
    ["mcp-edge/node", node, ["loopbackRedirect", "serve"]],
  ])("of %s", (_entry, module, names) => {
    expect(Object.keys(module).toSorted()).toEqual(names);
  });

  test("are the same things in both entries, but for the server that brings Ajv", () => {
    const { McpServer: _index, ...ofIndex } = index;
    const { McpServer: _core, ...ofCore } = core;
    expect(Object.values(ofIndex)).toEqual(Object.values(ofCore));
    expect(Object.getPrototypeOf(index.McpServer)).toBe(core.McpServer);
    expect(new index.McpServer({ name: "n", version: "1" })).toBeInstanceOf(core.McpServer);
  });
});

describe("types", () => {
  test("of mcp-edge/core", () => {
    expect(typesOf("src/core.ts")).toEqual(TYPES);
  });

  test("of mcp-edge are the same", () => {
    expect([...new Set([...typesOf("src/index.ts"), ...typesOf("src/core.ts")])].toSorted()).toEqual(TYPES);
  });
});

const DECLARED = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** The types an entry names, and all of those in a file whose types it passes on as a whole. */
function typesOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  const own = Array.from(text.matchAll(DECLARED), ([, name = ""]) => name);
  const passed = Array.from(text.matchAll(/^export type \* from "([^"]+)"/gm), ([, from = ""]) =>
    typesOf(join(dirname(path), from)),
  );
  const named = Array.from(text.matchAll(/^export (type )?\{([^}]*)\}/gm), ([, all, list = ""]) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && (all !== undefined || name.startsWith("type ")))
      .map((name) => name.replace(/^type /, "")),
  );
  return [...own, ...passed.flat(), ...named.flat()].filter((name) => !VALUES.includes(name)).toSorted();
}
