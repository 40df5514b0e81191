/**
 * URI templates as resources have them: which variables there are, and what becomes of the template with values for them.
 *
 * Contract: RFC 6570 up to level 3, and prefixes; of lists and maps nothing, since a field holds one text. What is no
 * expression stays as it is.
 */
const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

/** By operator: what it begins with, what stands between, whether values are named, whether reserved characters stay. */
const OPERATORS: Readonly<Record<string, readonly [string, string, boolean, boolean]>> = {
  "": ["", ",", false, false],
  "+": ["", ",", false, true],
  "#": ["#", ",", false, true],
  ".": [".", ".", false, false],
  "/": ["/", "/", false, false],
  ";": [";", ";", true, false],
  "?": ["?", "&", true, false],
  "&": ["&", "&", true, false],
};

export function variablesOf(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list = ""]) => list.split(",").map(nameOf));
  return [...new Set(names)];
}

/** Variables without a value are left out, as the RFC has it. */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(EXPRESSION, (_all, operator: string, list: string) => {
    const [first, between, isNamed, isOpen] = OPERATORS[operator] ?? ["", ",", false, false];
    const parts = list.split(",").flatMap((variable) => {
      const name = nameOf(variable);
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return [];
      const length = Number(/:(\d+)$/.exec(variable)?.[1] ?? Infinity);
      const text = Array.from(value.toWellFormed()).slice(0, length).join("");
      const spelled = isOpen ? encodeOpen(text) : encodeStrict(text);
      return [isNamed ? `${name}${text === "" && operator === ";" ? "" : `=${spelled}`}` : spelled];
    });
    return parts.length === 0 ? "" : first + parts.join(between);
  });
}

function nameOf(variable: string): string {
  return variable.trim().replace(/(?::\d+|\*)$/, "");
}

function encodeStrict(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Reserved characters and escapes stay. */
function encodeOpen(text: string): string {
  return encodeURI(text)
    .replaceAll("%5B", "[")
    .replaceAll("%5D", "]")
    .replace(/%25([0-9a-f]{2})/gi, "%$1");
}
