/**
 * The keywords whose code speaks for itself: those of Ajv that it judges faithfully, and some of ours in place of its own.
 *
 * Contract: for the plain schemas of ajv-schema.ts only. No other file imports keywords of Ajv, and each is imported by itself, because
 * the published package brings along what it uses of Ajv.
 */
import { _, and, nil, or, type Code } from "ajv/dist/compile/codegen/index.js";
import { alwaysValidSchema, Type } from "ajv/dist/compile/util.js";
import type { AnySchema, CodeKeywordDefinition } from "ajv/dist/types/index.js";
import additionalProperties from "ajv/dist/vocabularies/applicator/additionalProperties.js";
import allOf from "ajv/dist/vocabularies/applicator/allOf.js";
import anyOf from "ajv/dist/vocabularies/applicator/anyOf.js";
import dependentSchemas from "ajv/dist/vocabularies/applicator/dependentSchemas.js";
import conditional from "ajv/dist/vocabularies/applicator/if.js";
import items from "ajv/dist/vocabularies/applicator/items2020.js";
import not from "ajv/dist/vocabularies/applicator/not.js";
import oneOf from "ajv/dist/vocabularies/applicator/oneOf.js";
import patternProperties from "ajv/dist/vocabularies/applicator/patternProperties.js";
import prefixItems from "ajv/dist/vocabularies/applicator/prefixItems.js";
import propertyNames from "ajv/dist/vocabularies/applicator/propertyNames.js";
import { propertyInData } from "ajv/dist/vocabularies/code.js";
import dependentRequired from "ajv/dist/vocabularies/validation/dependentRequired.js";
import limitItems from "ajv/dist/vocabularies/validation/limitItems.js";
import required from "ajv/dist/vocabularies/validation/required.js";
import type { Expense } from "./expense.ts";
import { isLengthWithin } from "./json-value.ts";

/** One of a few scalars; for `const` of a single one. */
const SCALARS: CodeKeywordDefinition = {
  keyword: ["const", "enum"],
  schemaType: "array",
  error: { message: "", params: ({ schemaCode }) => _`{ allowedValues: ${schemaCode} }` },
  code: (cxt) => {
    const values: (string | number | boolean | null)[] = cxt.schema; // written by ajv-schema.ts
    cxt.pass(or(...values.map((value) => _`${cxt.data} === ${value}`)));
  },
};

/**
 * As Ajv's own, but a property that `required` has just found is not looked for again: on arrays of objects that is a third of the time.
 * Looking takes so long because inherited properties do not count.
 */
const PROPERTIES: CodeKeywordDefinition = {
  keyword: "properties",
  type: "object",
  code: (cxt) => {
    const { gen, data, it, parentSchema } = cxt;
    const schemas: Readonly<Record<string, AnySchema>> = cxt.schema; // written by ajv-schema.ts, as is `required`
    const found = new Set<string>(parentSchema["required"]);
    const valid = gen.name("valid");
    for (const [name, schema] of Object.entries(schemas)) {
      if (alwaysValidSchema(it, schema)) continue;
      const apply = (): unknown => cxt.subschema({ keyword: "properties", schemaProp: name, dataProp: name }, valid);
      if (found.has(name)) apply();
      else gen.if(propertyInData(gen, data, name, true), apply, () => gen.var(valid, true));
      cxt.ok(valid);
    }
  },
};

/** For any type, because Ajv takes a number that is not finite for none, and would let it pass. */
const LIMITS: CodeKeywordDefinition = {
  keyword: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  schemaType: "number",
  error: { message: "", params: ({ schemaCode }) => _`{ limit: ${schemaCode} }` },
  code: (cxt) => {
    const { data, keyword } = cxt;
    const limit = Number(cxt.schema);
    const within: Readonly<Record<string, Code>> = {
      minimum: _`${data} >= ${limit} && ${data} !== Infinity`,
      maximum: _`${data} <= ${limit} && ${data} !== -Infinity`,
      exclusiveMinimum: _`${data} > ${limit} && ${data} !== Infinity`,
      exclusiveMaximum: _`${data} < ${limit} && ${data} !== -Infinity`,
    };
    cxt.pass(_`typeof ${data} != "number" || (${within[keyword] ?? nil})`);
  },
};

/** Most strings are short enough for either bound, whatever their characters; only in between are they counted, and charged. */
function lengths(expense: Expense): CodeKeywordDefinition {
  const isAtLeast = (text: string, min: number): boolean => isLengthWithin(text, [min, Infinity], expense);
  const isAtMost = (text: string, max: number): boolean => isLengthWithin(text, [0, max], expense);
  return {
    keyword: ["minLength", "maxLength"],
    type: "string",
    schemaType: "number",
    error: { message: "", params: ({ schemaCode }) => _`{ limit: ${schemaCode} }` },
    code: (cxt) => {
      const { data, gen } = cxt;
      const limit = Number(cxt.schema);
      const isMinimum = cxt.keyword === "minLength";
      const count = gen.scopeValue("func", { ref: isMinimum ? isAtLeast : isAtMost });
      const surely = isMinimum ? _`${data}.length >= ${limit * 2}` : _`${data}.length <= ${limit}`;
      cxt.pass(_`${surely} || ${count}(${data}, ${limit})`);
    },
  };
}

/** Ajv's own takes over, for an array without items, the verdict on the array before it. */
const CONTAINS: CodeKeywordDefinition = {
  keyword: "contains",
  type: "array",
  schemaType: ["object", "boolean"],
  trackErrors: true,
  code: (cxt) => {
    const { gen, data, parentSchema } = cxt;
    const { minContains: min = 1, maxContains: max } = parentSchema;
    const count = gen.let("count", 0);
    const valid = gen.name("valid");
    // The first item that settles it is the last that is looked at.
    const settled = max === undefined ? _`${count} >= ${min}` : _`${count} > ${max}`;
    gen.forRange("i", 0, _`${data}.length`, (i) => {
      gen.if(settled, () => gen.break());
      cxt.subschema({ keyword: "contains", dataProp: i, dataPropType: Type.Num, compositeRule: true }, valid);
      gen.if(valid, () => gen.code(_`${count}++`));
    });
    const enough = _`${count} >= ${min}`;
    cxt.result(max === undefined ? enough : and(enough, _`${count} <= ${max}`), () => cxt.reset());
  },
};

/** Lets the loops over an object's names ask for them where they are charged. */
function listing(
  definition: CodeKeywordDefinition,
  namesOf: (value: object) => readonly string[],
): CodeKeywordDefinition {
  return {
    ...definition,
    code: (cxt, ruleType) => {
      const { gen } = cxt;
      gen.forIn = (name, object, body) =>
        gen.forOf(name, _`${gen.scopeValue("func", { ref: namesOf })}(${object})`, body);
      definition.code(cxt, ruleType);
    },
  };
}

/** In the order in which they are judged. After an applicator, Ajv's code no longer notices a failed `minItems`. */
export function vocabulary(expense: Expense): CodeKeywordDefinition[] {
  const namesOf = (value: object): readonly string[] => expense.namesOf(value);
  const assertions = [limitItems, required];
  const combining = [not, anyOf, oneOf, allOf, conditional];
  return [
    SCALARS,
    LIMITS,
    lengths(expense),
    ...[...assertions, ...combining].map(fromCommonJs),
    listing(fromCommonJs(propertyNames), namesOf),
    listing(fromCommonJs(additionalProperties), namesOf),
    PROPERTIES,
    listing(fromCommonJs(patternProperties), namesOf),
    ...[dependentRequired, dependentSchemas, prefixItems, items].map(fromCommonJs),
    CONTAINS,
  ];
}

/** Node and esbuild hand over a CommonJS module as it is, Vite its default export already. */
function fromCommonJs<T extends object>(module: { readonly default: T }): T {
  return "default" in module ? module.default : module;
}
