/**
 * Form elicitation: the restricted schema a server may ask with, and the check of what the user answered.
 *
 * Contract: `assertFormSchema` refuses at the server author's desk whatever a client need not be able to show.
 * `checkFormContent` never throws, never coerces, and never repeats a value, which may be personal data. It needs no
 * schema engine: the subset is closed, and unlike in JSON Schema at large, here `format` is asserted.
 *
 * Our choices where the spec is silent:
 * - A field the form did not ask for is an issue, since the user was never shown it. (What mrtr#error-handling wants ignored
 *   is a surplus entry of `inputResponses`, one level up.)
 * - A keyword outside the subset is refused, because a constraint that nobody checks is a trap. `title`, `description` and
 *   `additionalProperties: false` at the root are harmless and common in generated schemas.
 * - A multi-select is a set: the same choice twice is an issue. A default must itself be a valid answer.
 * - `number` takes fractions, although the generated schema.json narrows ElicitResult to integers by accident.
 *
 * @see spec 2026-07-28 client/elicitation#requested-schema
 */

interface Labelled {
  readonly title?: string;
  readonly description?: string;
}
export interface FormOption {
  readonly const: string;
  readonly title: string;
}
export interface TextField extends Labelled {
  readonly type: "string";
  /** In Unicode code points, as in JSON Schema. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: "email" | "uri" | "date" | "date-time";
  readonly default?: string;
}
export interface NumberField extends Labelled {
  readonly type: "number" | "integer";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}
export interface BooleanField extends Labelled {
  readonly type: "boolean";
  readonly default?: boolean;
}
export interface SelectField extends Labelled {
  readonly type: "string";
  readonly enum: readonly string[];
  /** Legacy labels; prefer `oneOf`. */
  readonly enumNames?: readonly string[];
  readonly default?: string;
}
export interface TitledSelectField extends Labelled {
  readonly type: "string";
  readonly oneOf: readonly FormOption[];
  readonly default?: string;
}
export interface MultiSelectField extends Labelled {
  readonly type: "array";
  readonly items:
    | { readonly type: "string"; readonly enum: readonly string[] }
    | { readonly anyOf: readonly FormOption[] };
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly string[];
}
export type FormField = TextField | NumberField | BooleanField | SelectField | TitledSelectField | MultiSelectField;

export interface FormSchema extends Labelled {
  readonly $schema?: string;
  readonly type: "object";
  readonly properties: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

/**
 * The content that `checkFormContent` lets through: choices as literals, and only the fields in `required` for certain.
 * A `required` that is not known at compile time promises nothing.
 */
export type FormContent<S extends FormSchema> = Flat<
  { [K in keyof S["properties"] & RequiredOf<S>]: AnswerTo<S["properties"][K]> } & {
    -readonly [K in keyof S["properties"] as Exclude<K, RequiredOf<S>>]?: AnswerTo<S["properties"][K]>;
  }
>;
type Flat<T> = { [K in keyof T]: T[K] };
type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? (string extends R ? never : R) : never;
type AnswerTo<F> = F extends BooleanField
  ? boolean
  : F extends NumberField
    ? number
    : F extends MultiSelectField
      ? ChoiceOf<F["items"]>[]
      : ChoiceOf<F>;
type ChoiceOf<F> = F extends { readonly enum: readonly (infer E)[] }
  ? E
  : F extends { readonly oneOf: readonly { readonly const: infer C }[] }
    ? C
    : F extends { readonly anyOf: readonly { readonly const: infer C }[] }
      ? C
      : string;

export interface FormIssue {
  /** JSON Pointer into the content; the empty string is the content itself. */
  readonly path: string;
  /** An English sentence fragment, such as `must be a string`. Never contains the value. */
  readonly message: string;
}

/** Enough for anyone who mends a form; an answer with a million stray fields gets no million issues. */
const MAX_ISSUES = 10;
/** Names of stray fields may be megabytes long. */
const MAX_PATH_CHARACTERS = 300;
/** Far longer than any URI that a person answers with, and far shorter than what overflows the stack of a regular expression. */
const MAX_FORMATTED_CHARACTERS = 16_384;

/** Where the choices of a field stand, if it has any. */
interface Choices {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly FormOption[];
  readonly anyOf?: readonly FormOption[];
}

type Test = (value: unknown) => boolean;
type Tests = Readonly<Record<string, Test>>;

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText);
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0;
const isEnum: Test = (value) => Array.isArray(value) && value.length > 0 && isTexts(value);
const isOptions: Test = (value) =>
  Array.isArray(value) && isEnum(value.map((option) => isObject(option) && isText(option["title"]) && option["const"]));
const isItems: Test = (value) =>
  isObject(value) &&
  misfit(value, { type: (type) => type === "string", enum: isEnum, anyOf: isOptions }) === undefined &&
  (value["enum"] === undefined) !== (value["anyOf"] === undefined) &&
  (value["enum"] === undefined || isText(value["type"]));

const LABELS: Tests = { type: isText, title: isText, description: isText };
// A default is judged as an answer, once the rest of the field is known to be sound.
const FIELD: Tests = { ...LABELS, default: () => true };
const NUMBER: Tests = { ...FIELD, minimum: Number.isFinite, maximum: Number.isFinite };
const FIELDS: ReadonlyMap<unknown, Tests> = new Map<unknown, Tests>([
  ["boolean", FIELD],
  ["number", NUMBER],
  ["integer", NUMBER],
  ["array", { ...FIELD, items: isItems, minItems: isCount, maxItems: isCount }],
  [
    "string",
    {
      ...FIELD,
      minLength: isCount,
      maxLength: isCount,
      format: (value) => FORMATS.has(value),
      enum: isEnum,
      enumNames: isTexts,
      oneOf: isOptions,
    },
  ],
]);
const ROOT: Tests = {
  ...LABELS,
  $schema: isText,
  properties: isObject,
  required: isTexts,
  additionalProperties: (value) => value === false,
};

// RFC 5321 in the dotted form that people type: no quoted local part, no address literal. 254 is its longest path.
const EMAIL = /^(?=.{3,254}$)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z\d]+(([.]|-+)[a-z\d]+)*$/i;
// RFC 3986. The URL parser checks the host and the port, but would mend spaces and backslashes.
const URI = /^[a-z][a-z\d+.-]*:([\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i;
// RFC 3339, without its leap second: JavaScript's Date cannot hold one, so a handler would get an Invalid Date.
const TIME = /^T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const FORMATS: ReadonlyMap<unknown, (text: string) => boolean> = new Map<unknown, (text: string) => boolean>([
  ["email", (text) => EMAIL.test(text)],
  ["uri", (text) => URI.test(text) && URL.canParse(text)],
  ["date", isDate],
  ["date-time", (text) => isDate(text.slice(0, 10)) && TIME.test(text.slice(10))],
]);

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00Z`) : Number.NaN;
  // Some engines roll 30 February over to March; printing the day again tells.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first keyword that `tests` do not know or do not accept. An undefined one does not reach the wire. */
function misfit(schema: Record<string, unknown>, tests: Tests): string | undefined {
  return Object.keys(schema).find((key) => {
    const test = Object.hasOwn(tests, key) ? tests[key] : undefined;
    return schema[key] !== undefined && !test?.(schema[key]);
  });
}

const NOT_ALLOWED = "is malformed or not allowed in a form";

/** @throws {TypeError} that names the field, when the schema is outside the subset or contradicts itself. */
export function assertFormSchema(schema: unknown): FormSchema {
  if (!isObject(schema) || schema["type"] !== "object" || !isObject(schema["properties"]))
    return refuse("must have type object and properties");
  const keyword = misfit(schema, ROOT);
  if (keyword !== undefined) refuse(`${keyword} ${NOT_ALLOWED}`);
  for (const [name, field] of Object.entries(schema["properties"])) {
    const problem = fieldProblem(field);
    if (problem !== undefined) refuse(`field ${JSON.stringify(name)}: ${problem}`);
  }
  // ROOT has vouched for every keyword of the root, and fieldProblem for every field.
  const form = schema as unknown as FormSchema;
  for (const name of form.required ?? [])
    if (!Object.hasOwn(form.properties, name)) refuse(`required: no field ${JSON.stringify(name)}`);
  return form;
}

function refuse(reason: string): never {
  throw new TypeError(`requestedSchema: ${reason}`);
}

function fieldProblem(field: unknown): string | undefined {
  const tests = isObject(field) ? FIELDS.get(field["type"]) : undefined;
  if (!isObject(field) || tests === undefined) return `type ${NOT_ALLOWED}`;
  const keyword = misfit(field, tests);
  if (keyword !== undefined) return `${keyword} ${NOT_ALLOWED}`;
  if (field["type"] === "array" && field["items"] === undefined) return "items is missing";
  if (field["enum"] !== undefined && field["oneOf"] !== undefined) return `enum beside oneOf ${NOT_ALLOWED}`;
  for (const end of ["imum", "Length", "Items"])
    if (Number(field[`min${end}`]) > Number(field[`max${end}`])) return `min${end} is above max${end}`;
  // The tests have vouched for every keyword of this type.
  const problem =
    field["default"] === undefined ? undefined : answerProblem(field as unknown as FormField, field["default"]);
  return problem && `default ${problem}`;
}

/** The issues of an accepted form's `content`, at most 10; none means it is a `FormContent` of the schema. */
export function checkFormContent(schema: FormSchema, content: unknown): FormIssue[] {
  if (!isObject(content)) return [{ path: "", message: "must be an object" }];
  const issues: FormIssue[] = [];
  for (const name of new Set([...Object.keys(schema.properties), ...Object.keys(content)])) {
    // Own properties only: a field may be called `constructor`.
    const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    const absence = schema.required?.includes(name) ? "is required" : undefined;
    const known = value === undefined ? absence : field && answerProblem(field, value);
    const message = field === undefined ? "is not a field of this form" : known;
    if (message === undefined) continue;
    issues.push({ path: pathTo(name), message });
    if (issues.length === MAX_ISSUES) break;
  }
  return issues;
}

function pathTo(name: string): string {
  const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;
}

function answerProblem(field: FormField, value: unknown): string | undefined {
  if (field.type === "boolean") return typeof value === "boolean" ? undefined : "must be true or false";
  if (field.type === "array") {
    const choices = choicesOf(field.items);
    if (!Array.isArray(value)) return "must be a list";
    if (!value.every((item) => choices?.includes(item))) return `must hold only ${CHOICES}`;
    if (new Set(value).size < value.length) return "must not repeat a choice";
    return outside(value.length, field.minItems, field.maxItems, " in number");
  }
  if (field.type === "string") {
    if (!isText(value)) return "must be a string";
    if (choicesOf(field)?.includes(value) === false) return `must be one of ${CHOICES}`;
    const { format, minLength, maxLength }: Partial<TextField> = field;
    const unfit = (): boolean => value.length > MAX_FORMATTED_CHARACTERS || FORMATS.get(format)?.(value) === false;
    if (format !== undefined && unfit()) return `must be a valid ${format}`;
    return outside(Array.from(value).length, minLength, maxLength, " characters long");
  }
  if (!Number.isFinite(value)) return "must be a number";
  if (field.type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  return outside(Number(value), field.minimum, field.maximum);
}

const CHOICES = "the choices offered";

function choicesOf(field: Choices): readonly string[] | undefined {
  return field.enum ?? (field.oneOf ?? field.anyOf)?.map((option) => option.const);
}

function outside(size: number, min = -Infinity, max = Infinity, unit = ""): string | undefined {
  if (size < min) return `must be at least ${min}${unit}`;
  return size > max ? `must be at most ${max}${unit}` : undefined;
}
