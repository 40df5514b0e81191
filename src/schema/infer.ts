/**
 * The TypeScript type that a schema describes. Types only; nothing of this file exists at run time.
 *
 * Contract: for a Standard Schema, its declared types. For a JSON Schema literal captured by a `const` type parameter,
 * what follows from `type`, `const`, `enum`, `properties`, `required`, `additionalProperties`, `items`, `prefixItems`,
 * `allOf`, `anyOf`, `oneOf` and a `$ref` to `#`, `#/$defs/…` or `#/definitions/…` (recursive ones too). Each keyword only
 * narrows, so one that is not known here leaves the type wider. `default` is an annotation: it does not make a property
 * present. A schema whose literal is not known (loaded at run time) gives `unknown`.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core
 */
import type { StandardSchemaV1, StandardTypes } from "./standard-schema.ts";

/** What the schema accepts. */
export type InferInput<S> = S extends StandardSchemaV1 ? TypesOf<S>["input"] : FromJsonSchema<S>;

/** What validation returns. */
export type InferOutput<S> = S extends StandardSchemaV1 ? TypesOf<S>["output"] : FromJsonSchema<S>;

/**
 * What a handler receives when its arguments are checked by `S`: always an object. With a schema known only at run time
 * it may have any property; without a schema none is known (`Record<string, never>` would let any name be destructured).
 */
export type InferArguments<S> = [S] extends [undefined]
  ? object
  : unknown extends InferOutput<S>
    ? Record<string, unknown>
    : InferOutput<S> extends Record<string, never>
      ? object
      : InferOutput<S>;

/**
 * A member for the union that a handler may return, next to types which depend on `S`. While TypeScript still infers
 * `S` it checks the handler's body without knowing them, and would widen `{ kind: "a" }` to `{ kind: string }`; this
 * member tells it to keep literals and tuples. Once `S` is known it is `never`, so that it accepts nothing and is in no
 * error message.
 */
export type KeepLiterals<S> = S extends { readonly [unresolved]: true } ? Literals : never;
declare const unresolved: unique symbol;
type Literals = "" | 0 | true | { [name: string]: Literals } | [Literals?, ...Literals[]];

type TypesOf<S extends StandardSchemaV1> =
  NonNullable<S["~standard"]["types"]> extends infer T extends StandardTypes ? T : StandardTypes;

/** The type of the values that a JSON Schema literal accepts. */
export type FromJsonSchema<S> = Parse<S, S, never>;

/** `Followed` holds the references taken without entering a value, so that a `$ref` to itself ends. */
type Parse<S, Root, Followed> = S extends boolean
  ? S extends true
    ? unknown
    : never
  : string extends keyof S
    ? unknown
    : ByType<S, Root> & Literal<S> & Reference<S, Root, Followed> & Combined<S, Root, Followed>;

type ByType<S, Root> = S extends { readonly type: infer T }
  ? OneType<T extends readonly (infer E)[] ? E : T, S, Root>
  : unknown;

type OneType<T, S, Root> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? ArrayOf<S, Root>
          : T extends "object"
            ? ObjectOf<S, Root>
            : unknown;

type Literal<S> = (S extends { readonly const: infer C } ? C : unknown) &
  (S extends { readonly enum: readonly (infer E)[] } ? E : unknown);

// References

type Reference<S, Root, Followed> = S extends { readonly $ref: infer R }
  ? R extends Followed
    ? unknown
    : Parse<Target<R, Root>, Root, Followed | R>
  : unknown;

type Target<R, Root> = R extends "#"
  ? Root
  : R extends `#/$defs/${infer N}`
    ? Member<Root, "$defs", N>
    : R extends `#/definitions/${infer N}`
      ? Member<Root, "definitions", N>
      : true;

type Member<Root, K extends string, N> = Root extends { readonly [P in K]: infer D }
  ? N extends keyof D
    ? D[N]
    : true
  : true;

// allOf, anyOf, oneOf

type Combined<S, Root, Followed> = (S extends { readonly allOf: infer L } ? Every<L, S, Root, Followed> : unknown) &
  (S extends { readonly anyOf: infer L } ? Some<L, S, Root, Followed> : unknown) &
  (S extends { readonly oneOf: infer L } ? Some<L, S, Root, Followed> : unknown);

type Every<L, S, Root, Followed> = L extends readonly [infer Head, ...infer Tail]
  ? Parse<Within<Head, S>, Root, Followed> & Every<Tail, S, Root, Followed>
  : unknown;

type Some<L, S, Root, Followed> = L extends readonly (infer B)[]
  ? B extends unknown
    ? Parse<Within<B, S>, Root, Followed>
    : never
  : unknown;

/** A branch without a `type` is read with the one of the schema around it, which alone says whether extras may come. */
type Within<B, S> = B extends boolean | { readonly type: unknown }
  ? B
  : S extends { readonly type: infer T }
    ? B & { readonly type: T; readonly "~within": true }
    : B;

// Arrays

type ArrayOf<S, Root> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? [...Prefix<P, S, Root>, ...(S extends { readonly items: false } ? [] : ItemsOf<S, Root>)]
  : ItemsOf<S, Root>;

type ItemsOf<S, Root> = S extends { readonly items: infer I } ? Parse<I, Root, never>[] : unknown[];

/** `prefixItems` alone does not ask for the items to be there; `minItems` does. */
type Prefix<P extends readonly unknown[], S, Root> = S extends { readonly minItems: P["length"] }
  ? { -readonly [I in keyof P]: Parse<P[I], Root, never> }
  : { -readonly [I in keyof P]?: Parse<P[I], Root, never> };

// Objects

type ObjectOf<S, Root> = ObjectWith<S, S extends { readonly properties: infer P } ? P : unknown, RequiredOf<S>, Root>;

type ObjectWith<S, P, R, Root> = [keyof P | R, S] extends [never, { readonly additionalProperties: false }]
  ? Record<string, S extends { readonly patternProperties: unknown } ? unknown : never>
  : Flat<
      { -readonly [K in keyof P as K extends R ? K : never]: Parse<P[K], Root, never> } & {
        -readonly [K in keyof P as K extends R ? never : K]?: Parse<P[K], Root, never>;
      } & { [K in Exclude<R & string, keyof P>]: unknown } & Extras<S, P, Root>
    >;

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? (string extends R ? never : R) : never;

/** An index signature covers the declared properties too, so its type has to admit theirs. */
type Extras<S, P, Root> = S extends { readonly patternProperties: unknown }
  ? { [name: string]: unknown }
  : S extends { readonly additionalProperties: false } | { readonly unevaluatedProperties: false }
    ? unknown
    : S extends { readonly additionalProperties: infer A }
      ? { [name: string]: Parse<A, Root, never> | { [K in keyof P]: Parse<P[K], Root, never> }[keyof P] }
      : S extends { readonly "~within": true }
        ? unknown
        : { [name: string]: unknown };

/** One object type for editors and error messages to show, instead of an intersection and the name of a helper. */
type Flat<T> = T extends infer O ? { [K in keyof O]: O[K] } : never;
