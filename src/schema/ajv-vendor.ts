/**
 * What the engine of ajv.ts takes from Ajv: its code generator, and those of its keywords that it judges faithfully.
 *
 * Contract: nothing but re-exports, and no other file of the package imports Ajv at run time. In the published package this module is
 * built from Ajv's own TypeScript sources, so that users install no dependency and bundle no part of Ajv that is not used.
 *
 * Ajv's front (its class, meta-schemas, `$id`s, URI references, formats) has no use here: the schemas of ajv-schema.ts have none of that.
 */
import type core from "ajv/dist/core.js";
import type { CodeKeywordDefinition } from "ajv/dist/types/index.js";
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
import properties from "ajv/dist/vocabularies/applicator/properties.js";
import propertyNames from "ajv/dist/vocabularies/applicator/propertyNames.js";
import dependentRequired from "ajv/dist/vocabularies/validation/dependentRequired.js";
import limitItems from "ajv/dist/vocabularies/validation/limitItems.js";
import limitLength from "ajv/dist/vocabularies/validation/limitLength.js";
import limitNumber from "ajv/dist/vocabularies/validation/limitNumber.js";
import limitProperties from "ajv/dist/vocabularies/validation/limitProperties.js";
import required from "ajv/dist/vocabularies/validation/required.js";

export { _, or, ValueScope } from "ajv/dist/compile/codegen/index.js";
export { compileSchema, SchemaEnv } from "ajv/dist/compile/index.js";
export type { CodeKeywordDefinition, FuncKeywordDefinition } from "ajv/dist/types/index.js";
export type { ErrorObject, DataValidationCxt, SchemaValidateFunction, ValidateFunction } from "ajv/dist/types/index.js";
export { getRules } from "ajv/dist/compile/rules.js";
export { callRef } from "ajv/dist/vocabularies/core/ref.js";

/** What Ajv's compiler calls `this`. */
export type Ajv = core.default;

/** Cheap assertions first: after an applicator, Ajv's code no longer notices a failed `minItems`. */
export function ajvKeywords(): CodeKeywordDefinition[] {
  const assertions = [limitNumber, limitLength, limitItems, limitProperties, required];
  const combining = [not, anyOf, oneOf, allOf, conditional];
  const members = [propertyNames, additionalProperties, properties, patternProperties, dependentRequired];
  return [...assertions, ...combining, ...members, dependentSchemas, prefixItems, items, contains].map(fromCommonJs);
}

/** Node and esbuild hand over a CommonJS module as it is, Vite its default export already. */
function fromCommonJs<T extends object>(module: { readonly default: T }): T {
  return "default" in module ? module.default : module;
}
