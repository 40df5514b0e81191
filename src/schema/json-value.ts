/**
 * Comparing JSON values as JSON Schema does: numbers by value, objects without order, names such as `constructor` like any other.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#name-instance-equality
 */

export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Lists the names of an object, and charges for it. */
type NamesOf = (value: object) => readonly string[];

export function isEqual(left: unknown, right: unknown, namesOf: NamesOf): boolean {
  if (left === right) return true;
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  const names = namesOf(left);
  if (names.length !== namesOf(right).length) return false;
  // Both are containers and every name read is an own one.
  const [a, b] = [left as Record<string, unknown>, right as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name], namesOf));
}

interface Purse {
  readonly namesOf: NamesOf;
  readonly spend: (steps: number) => void;
}

/** Characters quoted, copied and hashed in about the time of one step. */
const CHARACTERS_PER_STEP = 8;
const STEPS_PER_SORTED_NAME = 4;

/** A string that equal values share and different values do not. Charged at every level, because each copies what is below it. */
function identity(value: unknown, purse: Purse): string {
  const paid = (text: string): string => {
    purse.spend(1 + Math.floor(text.length / CHARACTERS_PER_STEP));
    return text;
  };
  if (typeof value === "number") return paid(String(value));
  if (!isContainer(value)) return paid(JSON.stringify(value) ?? "undefined");
  if (Array.isArray(value)) return paid(`[${value.map((item) => identity(item, purse)).join()}]`);
  const object = value as Record<string, unknown>; // not an array, and only own names are read
  const names = purse.namesOf(object);
  purse.spend(names.length * STEPS_PER_SORTED_NAME);
  const members = names.toSorted().map((name) => `${JSON.stringify(name)}:${identity(object[name], purse)}`);
  return paid(`{${members.join()}}`);
}

/** In linear time; comparing each pair would let 4 MiB of numbers run for minutes. */
export function hasRepeats(items: readonly unknown[], purse: Purse): boolean {
  const seen = new Set<string>();
  for (const item of items) if (seen.size === seen.add(identity(item, purse)).size) return true;
  return false;
}

/** Exact for the decimal digits that JSON carries, so 19.99 is a multiple of 0.01 and 1.0000000001 is none of 1. */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shift = BigInt(Math.abs(exponent - divisorExponent));
  const factor = 10n ** shift;
  return (exponent >= divisorExponent ? (digits * factor) % divisorDigits : digits % (divisorDigits * factor)) === 0n;
}

function decimal(value: number): [digits: bigint, exponent: number] {
  const [digits = "0", exponent = "0"] = String(Math.abs(value)).split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** Counting a character takes a fraction of quoting one. */
const COUNTED_PER_STEP = 32;

/** Whether the number of characters (code points) lies within the bounds. */
export function isLengthWithin(
  text: string,
  [min, max]: readonly [min: number, max: number],
  purse: Pick<Purse, "spend">,
): boolean {
  if (text.length < min || text.length > max * 2) return false;
  if (text.length >= min * 2 && text.length <= max) return true;
  purse.spend(Math.floor(text.length / COUNTED_PER_STEP));
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count >= min && count <= max;
}
