/**
 * The keywords that ajv.ts adds to Ajv, or puts in place of Ajv's own.
 *
 * Contract: for the plain schemas of ajv-schema.ts only; their meaning is that of the same keyword in the interpreter, whose functions
 * they call.
 */
import { _ } from "ajv/dist/compile/codegen/index.js";
import type { SchemaEnv } from "ajv/dist/compile/index.js";
import type {
  CodeKeywordDefinition,
  DataValidationCxt,
  FuncKeywordDefinition,
  SchemaValidateFunction,
} from "ajv/dist/types/index.js";
import { callRef } from "ajv/dist/vocabularies/core/ref.js";
import { memberOf } from "./assertions.ts";
import type { Expense } from "./expense.ts";
import type { PatternSet } from "./guarded-pattern.ts";
import { issuesOf } from "./guarded-check.ts";
import { issueMessage } from "./issue-message.ts";
import { hasRepeats, isContainer, isMultiple } from "./json-value.ts";
import type { RuleCompiler } from "./rule-compiler.ts";
import type { SchemaNode } from "./schema-graph.ts";

export interface KeywordContext {
  readonly expense: Expense;
  readonly patterns: PatternSet;
  readonly rules: RuleCompiler;
  readonly interpreted: readonly SchemaNode[];
  /** What `refer` refers to. */
  readonly schemas: readonly SchemaEnv[];
}

/** Counts steps; declared before all other keywords, so that it runs before a `$ref` can lead on. */
export function chargeKeyword({ expense }: KeywordContext): CodeKeywordDefinition {
  const spend = (steps: number): void => expense.spend(steps);
  return {
    keyword: "charge",
    schemaType: "number",
    code: ({ gen, schema }) => gen.code(_`${gen.scopeValue("func", { ref: spend })}(${Number(schema)})`),
  };
}

/** Always by way of the wrapper, because a schema may refer to one that is compiled later. */
export function referKeyword({ schemas }: KeywordContext): CodeKeywordDefinition {
  return {
    keyword: "refer",
    code: (cxt) => {
      const target = schemas[Number(cxt.schema)];
      callRef(cxt, _`${cxt.gen.scopeValue("wrapper", { ref: target })}.validate`, target);
    },
  };
}

type Test = (value: unknown, path: string) => boolean;

/** Before all applicators: behind `propertyNames`, Ajv's code no longer looks at an object without properties. */
export function sizeKeywords({ expense }: KeywordContext): FuncKeywordDefinition[] {
  const size = (name: string, fits: (count: number, limit: number) => boolean): FuncKeywordDefinition =>
    keyword(name, "object", (limit) => [
      limit,
      (value) => !isContainer(value) || fits(expense.namesOf(value).length, Number(limit)),
    ]);
  return [
    size("minProperties", (count, limit) => count >= limit),
    size("maxProperties", (count, limit) => count <= limit),
  ];
}

/** Keywords whose verdict is a function of ours. */
export function ownKeywords(context: KeywordContext): FuncKeywordDefinition[] {
  const { expense, patterns } = context;
  return [
    // For any type, because Ajv takes a number that is not finite for none.
    keyword("multipleOf", undefined, (divisor) => [
      divisor,
      (value) => typeof value !== "number" || isMultiple(value, Number(divisor)),
    ]),
    keyword("pattern", "string", (source) => {
      const pattern = patterns.get(String(source), "");
      return [source, (value, path) => pattern.test(String(value), expense, () => path)];
    }),
    keyword("uniqueItems", "array", (unique) => [
      unique,
      (value) => unique !== true || !Array.isArray(value) || !hasRepeats(value, expense),
    ]),
    keyword("equals", undefined, memberTest(expense), "enum"),
    keyword("memberOf", undefined, memberTest(expense), "enum"),
    interpreted(context),
  ];
}

function memberTest(expense: Expense): (values: unknown) => [unknown, Test] {
  return (values) => {
    const isMember = memberOf(Array.isArray(values) ? values : []);
    return [values, (value) => isMember(value, expense)];
  };
}

/** Two keywords of ours are spelled differently in schemas, where they are `const` and `enum`. */
function keyword(
  name: string,
  type: "array" | "object" | "string" | undefined,
  make: (schema: unknown) => [detail: unknown, test: Test],
  spelled = name,
): FuncKeywordDefinition {
  return {
    keyword: name,
    ...(type === undefined ? {} : { type }),
    compile: (schema: unknown) => {
      const [detail, test] = make(schema);
      const message = issueMessage(spelled, detail);
      const judge: SchemaValidateFunction = (value: unknown, at?: DataValidationCxt) => {
        if (test(value, at?.instancePath ?? "")) return true;
        judge.errors = [{ keyword: name, message, params: {} }];
        return false;
      };
      return judge;
    },
  };
}

/** Hands a sub-schema to the interpreter. */
function interpreted({ expense, rules, interpreted: nodes }: KeywordContext): FuncKeywordDefinition {
  return {
    keyword: "interpreted",
    compile: (index: number) => {
      const node = nodes[index];
      if (node === undefined) throw new RangeError("no such node");
      const rule = rules.ruleFor(node);
      const judge: SchemaValidateFunction = (value: unknown, at?: DataValidationCxt) => {
        const run = { expense, findings: [] };
        if (rule(value, run, undefined, undefined)) return true;
        judge.errors = issuesOf(run.findings).map(({ path, message }) => {
          return { keyword: "interpreted", instancePath: (at?.instancePath ?? "") + path, message, params: {} };
        });
        return false;
      };
      return judge;
    },
  };
}
