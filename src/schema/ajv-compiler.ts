/**
 * What Ajv's compiler wants of an Ajv around it, and no more.
 *
 * Ajv's class, meta-schemas, `$id`s, URI references and formats have no use here: the schemas of ajv-schema.ts have none of that.
 *
 * Contract: one for each compiled schema. `compileAll` throws what code generation throws.
 */
import { ValueScope } from "ajv/dist/compile/codegen/index.js";
import { compileSchema, type SchemaEnv } from "ajv/dist/compile/index.js";
import { getRules } from "ajv/dist/compile/rules.js";
import type Ajv from "ajv/dist/core.js";
import type { CodeKeywordDefinition, FuncKeywordDefinition, ValidateFunction } from "ajv/dist/types/index.js";

type Definition = CodeKeywordDefinition | FuncKeywordDefinition;
/** Told apart by their text. */
type Pattern = { readonly test: (text: string) => boolean; readonly toString: () => string };

/** Schemas have no URIs here, so every address is the empty one. */
const NO_URIS = { parse: () => ({}), serialize: () => "", resolve: () => "" };

export class CompilerState {
  // The names are those that Ajv's compiler reads.
  readonly RULES = getRules();
  readonly scope = new ValueScope({ scope: {} });
  readonly logger = { error: () => undefined };
  readonly _compilations = new Set<SchemaEnv>();
  readonly opts;

  /** Keywords are judged in their order, those for one type of value after those for any. */
  constructor(keywords: readonly Definition[], regExp: (source: string) => Pattern) {
    this.opts = {
      // Ajv's optimizer takes quadratic time in the number of properties, for checks that V8 makes no faster.
      code: { optimize: 0, regExp: Object.assign(regExp, { code: "new RegExp" }) },
      loopRequired: 200,
      next: true,
      ownProperties: true,
      strictNumbers: true,
      unicodeRegExp: true,
      uriResolver: NO_URIS,
      validateSchema: false,
    };
    for (const definition of keywords) this.#add(definition);
    // Judged by the compiler itself, which only looks whether it is known.
    this.RULES.all["type"] = true;
  }

  #add(definition: Definition): void {
    const { all, rules } = this.RULES;
    // The compiler wants lists of types.
    const type = [definition.type ?? []].flat();
    const schemaType = [definition.schemaType ?? []].flat();
    for (const keyword of [definition.keyword].flat()) {
      const rule = { keyword, definition: { ...definition, type, schemaType } };
      all[keyword] = rule;
      const groups = rules.filter((group) =>
        group.type === undefined ? type.length === 0 : type.includes(group.type),
      );
      for (const group of groups) group.rules.push(rule);
    }
  }

  /** The function of the first, which may refer to the others. */
  compileAll(schemas: readonly SchemaEnv[]): ValidateFunction {
    // The compiler reads nothing of an Ajv but what is here.
    for (const schema of schemas) compileSchema.call(this as unknown as Ajv.default, schema);
    // Compiled just now, and to a function that answers at once, since no schema has `$async`.
    return schemas[0]?.validate as ValidateFunction;
  }
}
