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
import type { CallToolResult, ContentBlock, JsonObject } from "../protocol/types.ts";
import type { SchemaIssue } from "../schema/engine.ts";
import { isContentBlock, isSoundBlock } from "./content.ts";
import type { Awaitable } from "./definitions.ts";
import type { Exchange } from "./exchange.ts";
import { internalError, tooDeep } from "./internal-error.ts";
import type { ResultWriter } from "./result-writer.ts";
import { type Ran, runHandler } from "./rounds.ts";
import type { Outcome, Tool } from "./tool.ts";

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

/** @returns the result as JSON text. @throws or rejects with {ProtocolError} */
export function callTool<Env>(
  tool: Tool<Env>,
  args: JsonObject,
  exchange: Exchange<Env>,
  writer: ResultWriter,
): Awaitable<string> {
  if (tool.paramHeaders.length > 0) exchange.checkParamHeaders(tool.paramHeaders, args);
  const call = new ToolCall(tool, args, exchange, writer);
  const checked = tool.checkInput(args);
  return checked instanceof Promise ? checked.then((outcome) => call.run(outcome)) : call.run(checked);
}

/** One call, from checked arguments to the result. Every step is synchronous unless the handler or a schema is not. */
class ToolCall<Env> {
  readonly #tool: Tool<Env>;
  readonly #args: JsonObject;
  readonly #exchange: Exchange<Env>;
  readonly #writer: ResultWriter;

  constructor(tool: Tool<Env>, args: JsonObject, exchange: Exchange<Env>, writer: ResultWriter) {
    this.#tool = tool;
    this.#args = args;
    this.#exchange = exchange;
    this.#writer = writer;
  }

  run(checked: Outcome): Awaitable<string> {
    if (checked.issues !== undefined) return this.#writer.toolError(describe("Invalid arguments", checked.issues));
    const input = checked.value as JsonObject; // The root of every inputSchema is an object.
    const subject = { target: this.#tool.name, args: this.#args };
    let ran: Awaitable<Ran>;
    try {
      ran = runHandler(this.#exchange, subject, this.#writer, (ctx) => this.#tool.handler(input, ctx));
    } catch (error) {
      return this.#fail(error);
    }
    if (!(ran instanceof Promise)) return this.#finish(ran);
    return ran.then(
      (ran) => this.#finish(ran),
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): string {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof ToolError) return this.#writer.toolError(error.message);
    const refusal = tooDeep(this.#exchange, error);
    if (refusal !== undefined) throw refusal;
    this.#exchange.report(error);
    return this.#writer.toolError(UNEXPECTED);
  }

  #finish(ran: Ran): Awaitable<string> {
    if (ran.interim !== undefined) return ran.interim;
    const { value } = ran;
    const { checkOutput } = this.#tool;
    if (isCallToolResult(value)) {
      this.#assertSound(value.content);
      if (checkOutput === undefined || value.isError === true) return this.#writer.result(value);
      if (!("structuredContent" in value)) throw this.#badOutput("it has no structuredContent");
      return this.#conform(value.structuredContent, ({ value: structuredContent }) =>
        this.#writer.result(structuredContent === value.structuredContent ? value : { ...value, structuredContent }),
      );
    }
    if (checkOutput !== undefined)
      return this.#conform(value, (output) => this.#writer.structured(output.value, output.json));
    if (typeof value === "string") return this.#writer.text(value);
    if (value === undefined) return this.#writer.result({ content: [] });
    const content: unknown[] = Array.isArray(value) ? value : [value];
    if (content.every(isContentBlock)) {
      this.#assertSound(content);
      return this.#writer.result({ content });
    }
    return this.#writer.structured(value);
  }

  /** A block that lacks what its type calls for would make the whole result unreadable. */
  #assertSound(content: readonly ContentBlock[]): void {
    if (content.every(isSoundBlock)) return;
    throw internalError(this.#exchange, new TypeError(`tool ${this.#tool.name}: returned malformed content`));
  }

  /** MUST — server/tools#output-schema: structured results conform. */
  #conform(value: unknown, write: (output: Conforming) => string): Awaitable<string> {
    const judge = (outcome: Outcome): string => {
      if (outcome.issues !== undefined) throw this.#badOutput(describe("it", outcome.issues));
      return write(outcome);
    };
    const checked = this.#tool.checkOutput?.(value) ?? { value };
    return checked instanceof Promise ? checked.then(judge) : judge(checked);
  }

  /** The server's own fault, so not something a model could mend by other arguments. */
  #badOutput(detail: string): Error {
    const message = `Tool ${this.#tool.name} returned what its outputSchema does not allow: ${detail}`;
    this.#exchange.report(new TypeError(message));
    return new ProtocolError(ErrorCode.InternalError, message);
  }
}

type Conforming = Exclude<Outcome, { readonly issues: readonly SchemaIssue[] }>;

/** Paths hold the caller's own names, and messages of libraries may quote: the answer must not outgrow the request. */
const MAX_ISSUES = 10;
const MAX_ISSUE_CHARS = 200;

function describe(subject: string, issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const reason = clip(message, MAX_ISSUE_CHARS);
    return path === "" ? reason : `${clip(path, MAX_ISSUE_CHARS)} ${reason}`;
  });
  return `${subject}: ${shown.join("; ")}`;
}

const RESULT_MEMBERS = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);

/** A complete result has a `content` array and nothing that a result has not; any other object is a structured value. */
function isCallToolResult(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value["content"])) return false;
  return Object.keys(value).every((key) => RESULT_MEMBERS.has(key)) && value["content"].every(isContentBlock);
}
