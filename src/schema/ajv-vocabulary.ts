/**
 * The keywords whose code speaks for itself: those of Ajv that it judges faithfully, and two of ours.
 *
 * Contract: for the plain schemas of ajv-schema.ts only. No other file imports keywords of Ajv, and each is imported by itself, because
 * the published package brings along what it uses of Ajv.
 */
import { _, or } from "ajv/dist/compile/codegen/index.js";
import { alwaysValidSchema } from "ajv/dist/compile/util.js";
import type { AnySchema, CodeKeywordDefinition } from "ajv/dist/types/index.js";
import additionalProperties from "ajv/dist/vocabularies/applicator/additionalProperties.js";
import allOf from "ajv/dist/vocabularies/applicator/allOf.js";
import anyOf from "ajv/dist/vocabularies/applicator/anyOf.js";
import contains from "ajv/dist/vocabularies/applicator/contains.js";
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
import limitLength from "ajv/dist/vocabularies/validation/limitLength.js";
import limitNumber from "ajv/dist/vocabularies/validation/limitNumber.js";
import limitProperties from "ajv/dist/vocabularies/validation/limitProperties.js";
import required from "ajv/dist/vocabularies/validation/required.js";

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

/** In the order in which they are judged. After an applicator, Ajv's code no longer notices a failed `minItems`. */
export function vocabulary(): CodeKeywordDefinition[] {
  const assertions = [limitNumber, limitLength, limitItems, limitProperties, required];
  const combining = [not, anyOf, oneOf, allOf, conditional];
  const objects = [patternProperties, dependentRequired, dependentSchemas];
  return [
    SCALARS,
    ...[...assertions, ...combining, propertyNames, additionalProperties].map(fromCommonJs),
    PROPERTIES,
    ...[...objects, prefixItems, items, contains].map(fromCommonJs),
  ];
}

/** Node and esbuild hand over a CommonJS module as it is, Vite its default export already. */
function fromCommonJs<T extends object>(module: { readonly default: T }): T {
  return "default" in module ? module.default : module;
}
