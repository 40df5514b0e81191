/**
 * URI templates as resources have them: which variables there are, and what becomes of the template with values for them.
 *
 * Contract: RFC 6570 up to level 3, and prefixes; of lists and maps nothing, since a field holds one text. What is no
 * expression stays as it is.
 */
const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

export function variablesOf(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list = ""]) => list.split(",").map(nameOf));
  return [...new Set(names)];
}

/** Variables without a value are left out, as the RFC has it. */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(EXPRESSION, (_all, operator: string, list: string) => {
    const isOpen = /[+#]/.test(operator);
    const parts = list.split(",").flatMap((variable) => {
      const name = nameOf(variable);
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return [];
      const length = /:(\d+)$/.exec(variable)?.[1] ?? Infinity;
      const text = Array.from(value.toWellFormed()).slice(0, Number(length)).join("");
      const spelled = isOpen ? encodeOpen(text) : encodeStrict(text);
      if (!/[;?&]/.test(operator)) return [spelled];
      return [operator === ";" && text === "" ? name : `${name}=${spelled}`];
    });
    const between = operator === "" || isOpen ? "," : operator === "?" ? "&" : operator;
    return (parts.length === 0 || operator === "+" ? "" : operator) + parts.join(between);
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
    .replace(/%5([BD])/g, (_all, digit) => (digit === "B" ? "[" : "]"))
    .replace(/%25([\da-f]{2})/gi, "%$1");
}
