/**
 * The syntax tree of a regular expression (ECMAScript, `u` mode).
 *
 * Contract: reads sources that `new RegExp(source, "u")` accepts, and only those. Atoms stay as they are spelled: what one matches is
 * left to the regular-expression engine. Throws `Unsupported` for back-references and modifiers, a `RangeError` where groups nest
 * beyond the stack.
 */

export class Unsupported extends Error {}

export type Tree =
  | { readonly kind: "atom"; readonly source: string }
  | { readonly kind: "assert"; readonly source: string }
  | { readonly kind: "look"; readonly body: Tree; readonly ahead: boolean; readonly negative: boolean }
  | { readonly kind: "join" | "choice"; readonly parts: readonly Tree[] }
  | { readonly kind: "repeat"; readonly body: Tree; readonly min: number; readonly max: number };

const ATOM = /\\(?:[pu]\{[^}]*\}|u(?:d[89ab]..\\ud[c-f]..|....)|x..|c.|[^])|\[(?:\\[^]|[^\]\\])*\]|[^]/iuy;
const GROUP = /\((?:\?(?:(<?[=!])|:|<[^>]*>))?/uy;
const REPEAT = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/uy;

/** @throws {Unsupported} */
export function parsePattern(source: string): Tree {
  let at = 0;
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const found = token.exec(source);
    if (found !== null) at += found[0].length;
    return found;
  };
  const choice = (): Tree => {
    const parts = [join()];
    while (source[at] === "|") {
      at++;
      parts.push(join());
    }
    return { kind: "choice", parts };
  };
  const join = (): Tree => {
    const parts: Tree[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated(single()));
    return { kind: "join", parts };
  };
  const single = (): Tree => {
    const group = take(GROUP);
    if (group !== null) {
      if (source[at] === "?") throw new Unsupported(); // Modifiers.
      const body = choice();
      at++;
      const look = group[1];
      if (look === undefined) return body;
      return { kind: "look", body, ahead: look[0] !== "<", negative: look.endsWith("!") };
    }
    const atom = take(ATOM)?.[0] ?? "";
    if (/^\\[1-9k]/.test(atom)) throw new Unsupported(); // Back-references.
    return { kind: /^(?:[$^]|\\b)$/i.test(atom) ? "assert" : "atom", source: atom };
  };
  const repeated = (body: Tree): Tree => {
    const found = take(REPEAT);
    if (found === null) return body;
    const [[sign], low, comma, high] = found;
    const min = Number(low ?? sign === "+");
    const max = sign === "?" ? 1 : comma === "" ? min : Number(high || Infinity);
    return { kind: "repeat", body, min, max };
  };
  return choice();
}
