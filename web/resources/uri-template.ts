/**
 * URI templates as resources have them: which variables there are, and what becomes of the template with values for them.
 *
 * Contract: the operators of RFC 6570 up to level 3, with one text for each variable. Nothing more: a prefix or an asterisk
 * counts for nothing, a value counts as not encoded yet, and what is no expression stays as it is.
 */
const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

export function variablesOf(template: string): string[] {
  return [...new Set([...template.matchAll(EXPRESSION)].flatMap(([, , list = ""]) => namesIn(list)))];
}

/** Variables without a value are left out, as the RFC has it. */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(EXPRESSION, (_all, operator: string, list: string) => {
    const isOpen = /[+#]/.test(operator);
    const parts = namesIn(list).flatMap((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return [];
      const text = (isOpen ? encodeURI : encodeStrict)(value.toWellFormed());
      return /[;?&]/.test(operator) ? `${name}=${text}` : text;
    });
    const between = operator === "" || isOpen ? "," : operator === "?" ? "&" : operator;
    return (parts.length === 0 || operator === "+" ? "" : operator) + parts.join(between);
  });
}

function namesIn(list: string): string[] {
  return list.split(",").map((variable) => variable.trim().replace(/:\d+$|\*$/, ""));
}

/** The RFC spares fewer characters than the platform. */
function encodeStrict(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
