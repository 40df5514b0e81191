/**
 * The sentences that say why a value does not satisfy a schema, one for each keyword.
 *
 * Contract: shared by both engines. A sentence may quote the schema and property names, never a value; what is quoted is cut short.
 */

const MAX_QUOTED = 80;

function quote(name: unknown): string {
  const text = String(name);
  return `'${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}'`;
}

/** `detail` is the keyword's value, or the property name for keywords about names. */
export function issueMessage(keyword: string, detail?: unknown): string {
  switch (keyword) {
    case "type":
      return `must be ${Array.isArray(detail) ? detail.join(" or ") : String(detail)}`;
    case "enum":
    case "const":
      return allowed(Array.isArray(detail) ? detail : []);
    case "required":
      return `must have required property ${quote(detail)}`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `must not have additional property ${quote(detail)}`;
    case "additionalItems":
    case "unevaluatedItems":
      return "must not have more items than the schema lists";
    case "propertyNames":
      return `has the property name ${quote(detail)}, which is not allowed`;
    case "minLength":
      return `must have at least ${Number(detail)} characters`;
    case "maxLength":
      return `must have at most ${Number(detail)} characters`;
    case "minItems":
      return `must have at least ${Number(detail)} items`;
    case "maxItems":
      return `must have at most ${Number(detail)} items`;
    case "minProperties":
      return `must have at least ${Number(detail)} properties`;
    case "maxProperties":
      return `must have at most ${Number(detail)} properties`;
    case "minimum":
      return `must be >= ${Number(detail)}`;
    case "maximum":
      return `must be <= ${Number(detail)}`;
    case "exclusiveMinimum":
      return `must be > ${Number(detail)}`;
    case "exclusiveMaximum":
      return `must be < ${Number(detail)}`;
    case "multipleOf":
      return `must be a multiple of ${Number(detail)}`;
    case "pattern":
      return `must match the pattern ${quote(detail)}`;
    case "uniqueItems":
      return "must not have equal items";
    case "contains":
      return "must contain the items that the schema asks for";
    case "anyOf":
      return "must match at least one of the schemas in anyOf";
    case "oneOf":
      return "must match exactly one of the schemas in oneOf";
    case "not":
      return "must not match the schema in not";
    case "if":
      return "must match the schema that its condition selects";
    default:
      return "is not allowed";
  }
}

function allowed(values: readonly unknown[]): string {
  const text = values.length > 20 ? "" : values.map((value) => JSON.stringify(value)).join(", ");
  return text === "" || text.length > MAX_QUOTED * 4
    ? "must be one of the values that the schema lists"
    : `must be ${text.replace(/, ([^,]*)$/, " or $1")}`;
}
