/**
 * Takes secrets out of what is noted: how long one was is all that stays.
 *
 * Contract: values are known by the names they go by, in headers, queries, forms and JSON. Inside JSON-RPC fewer names
 * count, since `code` and `key` are everyday arguments there. Takes time in proportion to the text.
 */
import type { Field } from "./exchange.ts";

/** Bounded, as each word of a text may begin one. */
const PREFIX = "[\\w-]{0,60}";
const ALWAYS = `${PREFIX}(?:(?:access|refresh|id|auth|bearer|subject|actor)[_-]?token|secret|assertion|verifier|passw(?:or)?d|cookie|api[_-]?key)(?:_hint)?|(?:proxy-)?authorization|dpop`;
const OUTSIDE = `${ALWAYS}|(?:(?:user|device)_)?code|${PREFIX}(?:token|key)`;
const HEADER = /key|token|secret|auth(?!enticate|ors?$)|cookie|dpop|passw|credential|assertion/i;
const SCHEME = "(?:(?:Bearer|Basic|DPoP)\\s+)?";

interface Names {
  readonly whole: RegExp;
  /** With the value after it, in text that is no JSON or no longer. */
  readonly inText: RegExp;
}

const namesOf = (names: string): Names => ({
  whole: new RegExp(`^(?:${names})$`, "i"),
  inText: new RegExp(
    `(?<![\\w-])((?:${names})(?:\\\\*["'])?\\s*[:=]\\s*${SCHEME})(?!••••)("(?:[^"\\\\]|\\\\[^])*|\\\\+"(?:[^"\\\\]|\\\\(?!")[^]?)*|[^\\s&"',;}#]+)`,
    "gi",
  ),
});
const IN_MESSAGES = namesOf(ALWAYS);
const ELSEWHERE = namesOf(OUTSIDE);

export function mask(value: string): string {
  return `•••• (${value.length} characters)`;
}

/** Names in lower case, as `Headers` has them. @param own those that are masked whatever they are called */
export function maskHeaders(headers: Iterable<Field>, own: readonly string[] = []): Field[] {
  return [...headers].map(([name, value]) => {
    const isNamedSo = name.startsWith("mcp-")
      ? IN_MESSAGES.whole.test(name.replace("mcp-param-", ""))
      : HEADER.test(name);
    const scheme = new RegExp(`^${SCHEME}`, "i").exec(value)?.[0] ?? "";
    return [name, isNamedSo || own.includes(name) ? scheme + mask(value.slice(scheme.length)) : value];
  });
}

/** Of an address, or of a form. */
export function maskPairs(text: string): string {
  return text.replace(
    /((?:^|(?<=[?&#]))([^=&?#]+)=)(?!••••)([^&#]*)/g,
    (pair, start: string, name: string, value: string) => {
      const [plain = name] = new URLSearchParams(name).keys();
      return ELSEWHERE.whole.test(plain) ? start + mask(value) : pair;
    },
  );
}

/** `value` is undefined for what is no JSON. */
export function maskBody(text: string): { readonly text: string; readonly value?: unknown } {
  const names = /"jsonrpc"\s*:/.test(text) ? IN_MESSAGES : ELSEWHERE;
  try {
    let found = false;
    const value: unknown = JSON.parse(text, (name, member: unknown) => {
      if (typeof member !== "string" && typeof member !== "number") return member;
      const said = `${member}`;
      const shown = names.whole.test(name) ? mask(said) : /^https?:/i.test(said) ? maskPairs(said) : member;
      found ||= shown !== member;
      return shown;
    });
    return { text: found ? JSON.stringify(value) : text, value };
  } catch {
    // No JSON, cut, or nested too deeply.
    return { text: maskPairs(text).replace(names.inText, (_, start: string, value: string) => start + mask(value)) };
  }
}
