/**
 * The engine for schemas that are known early: Ajv, which turns a schema into JavaScript.
 *
 * Contract: `SchemaEngine`. Compile at module scope on Workers; inside a request code generation is forbidden there, and `compile`
 * throws. `format` is an annotation, unknown keywords are ignored, nothing is coerced or filled in, nothing is logged.
 *
 * Ajv sees only what ajv-schema.ts writes: one dialect, no URIs, no unknown keywords. So its code generator is enough, without the class
 * around it. Nothing is kept of a schema but its functions.
 */
import { SchemaEnv } from "ajv/dist/compile/index.js";
import type { ErrorObject, ValidateFunction } from "ajv/dist/types/index.js";
import { CompilerState } from "./ajv-compiler.ts";
import { chargeKeyword, ownKeywords, referKeyword, sizeKeywords, type KeywordContext } from "./ajv-keywords.ts";
import { PlainSchema } from "./ajv-schema.ts";
import { vocabulary } from "./ajv-vocabulary.ts";
import { SchemaError, type SchemaCheck, type SchemaEngine, type SchemaIssue } from "./engine.ts";
import { Expense } from "./expense.ts";
import { PatternSet } from "./guarded-pattern.ts";
import { inspectSchema } from "./inspect.ts";
import { guarded } from "./guarded-check.ts";
import { MAX_ISSUES } from "./issue-limits.ts";
import { issueMessage } from "./issue-message.ts";
import { RuleCompiler } from "./rule-compiler.ts";

/** More than the tools of a large server, and small beside what one generated function takes. */
const MAX_CACHED = 256;
/** Keys are whole schemas. Larger ones are rare and are compiled anew. */
const MAX_CACHED_LENGTH = 32_768;

export function ajvEngine(): SchemaEngine {
  // Keyed by content: a client that lists tools again parses equal schemas afresh.
  const checks = new Map<string, SchemaCheck>();
  return {
    name: "ajv",
    compile(schema) {
      const graph = inspectSchema(schema);
      const key = JSON.stringify(schema);
      const known = checks.get(key);
      if (known !== undefined) return known;
      const patterns = new PatternSet();
      const plain = new PlainSchema(graph, patterns);
      const check = generate({
        expense: new Expense(),
        patterns,
        rules: new RuleCompiler(graph, patterns),
        interpreted: plain.interpreted,
        schemas: plain.schemas.map((schema) => new SchemaEnv({ schema })),
      });
      if (key.length <= MAX_CACHED_LENGTH) checks.set(key, check);
      const [oldest = ""] = checks.keys();
      if (checks.size > MAX_CACHED) checks.delete(oldest);
      return check;
    },
  };
}

function generate(context: KeywordContext): SchemaCheck {
  const { expense, patterns, schemas } = context;
  const keywords = [
    chargeKeyword(context),
    referKeyword(context),
    ...sizeKeywords(context),
    ...vocabulary(expense),
    ...ownKeywords(context),
  ];
  const state = new CompilerState(keywords, (source) => {
    const pattern = patterns.get(source, "");
    return { test: (name) => pattern.test(name, expense, () => ""), toString: () => source };
  });
  let validate: ValidateFunction;
  try {
    validate = state.compileAll(schemas);
  } catch (error) {
    throw error instanceof SchemaError ? error : new SchemaError("", reasonFor(error));
  }
  return (value) => {
    expense.start();
    // Ajv lists parts before the whole; the last error is the one that decided.
    return guarded(() => (validate(value) ? undefined : wholeFirst(validate.errors ?? []).map(issueFrom)));
  };
}

function reasonFor(error: unknown): string {
  if (error instanceof EvalError) {
    return "code generation is not allowed here; schemas that arrive while a request is handled need the interpreter engine";
  }
  if (error instanceof RangeError) return "is too large or nests too deeply for generated code";
  return `cannot be compiled (${error instanceof Error ? error.message : "unknown reason"})`;
}

function wholeFirst(errors: readonly ErrorObject[]): ErrorObject[] {
  return [...errors.slice(-1), ...errors.slice(0, Math.min(MAX_ISSUES, errors.length) - 1)];
}

function issueFrom({ keyword, instancePath, message, params }: ErrorObject): SchemaIssue {
  return { path: instancePath, message: message ?? issueMessage(RENAMED[keyword] ?? keyword, detailOf(params)) };
}

const RENAMED: Readonly<Record<string, string>> = { dependentRequired: "required", items: "additionalItems" };

/** Of what Ajv reports about an error, the part that a sentence needs. */
function detailOf(params: Readonly<Record<string, unknown>>): unknown {
  return (
    params["missingProperty"] ??
    params["additionalProperty"] ??
    params["propertyName"] ??
    params["allowedValues"] ??
    params["limit"] ??
    params["type"]
  );
}
