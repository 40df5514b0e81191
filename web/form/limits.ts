/** What a schema allows, in words: `1–200 characters`, `at least 3`. Long patterns are left out: nobody reads them. */
import type { JsonObject } from "../../src/protocol/types.ts";

const RANGES = { Length: " characters", imum: "", Items: " entries", Properties: " properties" };
const OTHERS = {
  exclusiveMinimum: "more than",
  exclusiveMaximum: "less than",
  multipleOf: "a multiple of",
  pattern: "like",
};

export function limitsOf(schema: JsonObject): string {
  const said = (keyword: string): string => {
    const value = schema[keyword];
    return (typeof value === "number" || typeof value === "string") && String(value).length < 60 ? String(value) : "";
  };
  const limits = Object.entries(RANGES).map(([what, unit]) => {
    const [least, most] = [said(`min${what}`), said(`max${what}`)];
    if (least !== "" && most !== "") return (least === most ? least : `${least}–${most}`) + unit;
    return least !== "" ? `at least ${least}${unit}` : most && `at most ${most}${unit}`;
  });
  limits.push(...Object.entries(OTHERS).map(([keyword, words]) => said(keyword) && `${words} ${said(keyword)}`));
  if (schema["uniqueItems"] === true) limits.push("no two alike");
  return limits.filter((limit) => limit !== "").join(", ");
}
