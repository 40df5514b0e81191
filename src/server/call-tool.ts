/**
 * `tools/call`: arguments in, result out.
 *
 * What the caller did wrong inside `arguments`, and what the tool itself reports, is a result with `isError`, so that a
 * model can correct itself. Everything else is a protocol error.
 *
 * @see spec 2026-07-28 server/tools#calling-tools, server/tools#error-handling
 */
import { clip, ErrorCode, invalidParams, ProtocolError, ToolError } from "../protocol/errors.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { CallToolResult, JsonObject } from "../protocol/types.ts";
import type { SchemaIssue } from "../schema/engine.ts";
import type { Exchange } from "./exchange.ts";
import type { ResultWriter } from "./result-writer.ts";
import { runHandler } from "./rounds.ts";
import type { Tool } from "./tool.ts";

/** A caller learns that a tool failed, not how: messages of unexpected errors hold paths, queries and secrets. */
const UNEXPECTED = "The tool failed unexpectedly.";

/** `params.name`, and `params.arguments` with its default. @throws {ProtocolError} −32602 */
export function readCall(params: JsonObject): { name: string; args: JsonObject } {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") throw invalidParams("Invalid params: name must be a string");
  if (!isObject(args)) throw invalidParams("Invalid params: arguments must be an object");
  return { name, args };
}

export function unknownTool(name: string): ProtocolError {
  return invalidParams(`Unknown tool: ${clip(name)}`);
}

/** @returns the result as JSON text. @throws {ProtocolError} */
export async function callTool<Env>(
  tool: Tool<Env>,
  args: JsonObject,
  exchange: Exchange<Env>,
  writer: ResultWriter,
): Promise<string> {
  if (tool.paramHeaders.length > 0) exchange.checkParamHeaders(tool.paramHeaders, args);
  let checked = tool.checkInput(args);
  if (checked instanceof Promise) checked = await checked;
  if (checked.issues !== undefined) return writer.toolError(describe("Invalid arguments", checked.issues));
  const input = checked.value as JsonObject; // The root of every inputSchema is an object.
  let value: unknown;
  try {
    const run = runHandler(exchange, { target: tool.name, args }, writer, (ctx) => tool.handler(input, ctx));
    const ran = await run;
    if (ran.interim !== undefined) return ran.interim;
    ({ value } = ran);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof ToolError) return writer.toolError(error.message);
    exchange.report(error);
    return writer.toolError(UNEXPECTED);
  }
  return finish(tool, value, writer);
}

async function finish(tool: Tool<never>, value: unknown, writer: ResultWriter): Promise<string> {
  if (isCallToolResult(value)) {
    if (tool.checkOutput === undefined || value.isError === true) return writer.result(value);
    if (!("structuredContent" in value)) throw badOutput(tool.name, "it has no structuredContent");
    const structuredContent = await conform(tool, value.structuredContent);
    return writer.result(structuredContent === value.structuredContent ? value : { ...value, structuredContent });
  }
  if (tool.checkOutput !== undefined) return writer.structured(await conform(tool, value));
  if (typeof value === "string") return writer.text(value);
  if (value === undefined) return writer.result({ content: [] });
  if (isContentBlock(value)) return writer.result({ content: [value] });
  if (Array.isArray(value) && value.length > 0 && value.every(isContentBlock)) return writer.result({ content: value });
  return writer.structured(value);
}

/** MUST — server/tools#output-schema: structured results conform. */
async function conform(tool: Tool<never>, value: unknown): Promise<unknown> {
  const checked = await tool.checkOutput?.(value);
  if (checked?.issues === undefined) return checked?.value;
  throw badOutput(tool.name, describe("it", checked.issues));
}

/** The server's own fault, so not something a model could mend by other arguments. */
function badOutput(name: string, detail: string): Error {
  return new ProtocolError(ErrorCode.InternalError, `Tool ${name} returned what its outputSchema does not allow: ${detail}`);
}

function describe(subject: string, issues: readonly SchemaIssue[]): string {
  return `${subject}: ${issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`)).join("; ")}`;
}

const RESULT_MEMBERS = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);

/** A complete result has a `content` array and nothing that a result has not; any other object is a structured value. */
function isCallToolResult(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value["content"])) return false;
  return Object.keys(value).every((key) => RESULT_MEMBERS.has(key)) && value["content"].every(isContentBlock);
}

const CONTENT_TYPES = new Set(["text", "image", "audio", "resource_link", "resource"]);

function isContentBlock(value: unknown): value is CallToolResult["content"][number] {
  return isObject(value) && typeof value["type"] === "string" && CONTENT_TYPES.has(value["type"]);
}
