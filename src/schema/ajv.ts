/**
 * The engine for schemas that are known early: Ajv, which turns a schema into JavaScript.
 *
 * Contract: `SchemaEngine`. Compile at module scope on Workers; inside a request code generation is forbidden there, and `compile`
 * throws. `format` is an annotation, unknown keywords are ignored, nothing is coerced or filled in, nothing is logged.
 *
 * Ajv sees only what ajv-schema.ts writes: one dialect, no URIs, no unknown keywords. So its core with the few vocabularies below is
 * enough, without its meta-schemas. Each schema has an Ajv of its own, because an instance keeps every schema and every generated
 * function for as long as it lives, and remembers `$id`s.
 */
import core, { type ErrorObject } from "ajv/dist/core.js";
import applicator from "ajv/dist/vocabularies/applicator/index.js";
import coreVocabulary from "ajv/dist/vocabularies/core/index.js";
import next from "ajv/dist/vocabularies/next.js";
import validation from "ajv/dist/vocabularies/validation/index.js";
import { chargeKeyword, ownKeywords, type KeywordContext } from "./ajv-keywords.ts";
import { PlainSchema } from "./ajv-schema.ts";
import { SchemaError, type JsonSchema, type SchemaCheck, type SchemaEngine, type SchemaIssue } from "./engine.ts";
import { Expense, MAX_ISSUES } from "./expense.ts";
import { PatternSet } from "./guarded-pattern.ts";
import { inspectSchema } from "./inspect.ts";
import { guarded } from "./guarded-check.ts";
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
      const { interpreted } = plain;
      const check = generate(plain.root, {
        expense: new Expense(),
        patterns,
        rules: new RuleCompiler(graph, patterns),
        interpreted,
      });
      if (key.length <= MAX_CACHED_LENGTH) checks.set(key, check);
      const [oldest = ""] = checks.keys();
      if (checks.size > MAX_CACHED) checks.delete(oldest);
      return check;
    },
  };
}

function generate(schema: JsonSchema | boolean, context: KeywordContext): SchemaCheck {
  const { expense, patterns } = context;
  const regExp = Object.assign(
    (source: string) => {
      const pattern = patterns.get(source, "");
      // Ajv tells patterns apart by their text.
      return { test: (name: string) => pattern.test(name, expense, () => ""), toString: () => source };
    },
    { code: "new RegExp" },
  );
  const ajv = new (fromCommonJs(core))({
    // Ajv's optimizer takes quadratic time in the number of properties, for checks that V8 makes no faster.
    code: { regExp, optimize: false },
    logger: false,
    messages: false,
    meta: false,
    next: true,
    ownProperties: true,
    strict: false,
    strictNumbers: true,
    validateFormats: false,
    validateSchema: false,
  });
  const own = ownKeywords(context);
  const replaced = new Set(own.map(({ keyword }) => keyword));
  // In Ajv's own order, on which its code relies: after an applicator, a failed `minItems` would no longer be noticed.
  ajv.addVocabulary([chargeKeyword(context), ...fromCommonJs(coreVocabulary)]);
  ajv.addVocabulary(fromCommonJs(validation).filter((rule) => typeof rule === "string" || !replaced.has(rule.keyword)));
  ajv.addVocabulary(own);
  ajv.addVocabulary([...fromCommonJs(applicator)(true), ...fromCommonJs(next)]);
  let validate: ReturnType<typeof ajv.compile>;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    throw error instanceof SchemaError ? error : new SchemaError("", reasonFor(error));
  }
  return (value) => {
    expense.start();
    // Ajv lists parts before the whole; the last error is the one that decided.
    return guarded(() => (validate(value) ? undefined : wholeFirst(validate.errors ?? []).map(issueFrom)));
  };
}

/** Node and esbuild hand over the module as it is, Vite its default export already. */
function fromCommonJs<T extends object>(module: { readonly default: T }): T {
  return "default" in module ? module.default : module;
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
  if ("allowedValue" in params) return [params["allowedValue"]];
  return (
    params["missingProperty"] ??
    params["additionalProperty"] ??
    params["propertyName"] ??
    params["allowedValues"] ??
    params["limit"] ??
    params["type"]
  );
}
