/**
 * What the page is made of: the client as others import it, pure parts of the package, and itself. It loads nothing else, so
 * what it shows is what the client of this package does.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const WEB = join(import.meta.dirname, "../../web");
/** Of `src/`: the entries of the client, and what has no input or output. */
const ALLOWED = /^(?:client(?:-legacy|-oauth)?\.ts|(?:protocol|schema|sse)\/[\w-]+\.ts)$/;
/**
 * The page at the redirect URI has one thing to do, and loads nothing that it does not need. Headers that are shown before a
 * call are made by what makes those that are sent.
 */
const EXCEPTIONS = new Set([
  "connect/callback.ts: client/oauth/browser.ts",
  "tools/code.ts: client/request-headers.ts",
]);
const MAX_LINES = 400;

const files = readdirSync(WEB, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && path !== "build.ts")
  .map((path) => ({ path, code: readFileSync(join(WEB, path), "utf8") }));

/** Not those in code that the page shows. */
const importsOf = (code: string): string[] =>
  [...code.matchAll(/^(?:import|export|\})[^;`]*? "(\.[^"]+|[^".:]+:[^"]+)";$|import\("([^"]+)"\)/gm)].map(
    ([, one, two]) => one ?? two ?? "",
  );

describe("the page", () => {
  test("imports itself, the client's entries, and what is pure", () => {
    const foreign = files.flatMap(({ path, code }) =>
      importsOf(code).flatMap((target) => {
        const found = relative(WEB, join(WEB, path, "..", target));
        const source = found.startsWith("../src/") ? found.slice(7) : undefined;
        if (target.startsWith(".") && (source === undefined ? !found.startsWith("..") : ALLOWED.test(source)))
          return [];
        return [`${path}: ${source ?? target}`];
      }),
    );
    expect(foreign.filter((each) => !EXCEPTIONS.has(each))).toEqual([]);
  });

  test("turns no text into markup, script or style", () => {
    const sinks = /\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|eval\(|new Function)/;
    expect(files.filter(({ code }) => sinks.test(code)).map(({ path }) => path)).toEqual([]);
    const inline = /\bstyle:|setAttribute\(\s*"(?:style|on\w+)"/;
    expect(files.filter(({ code }) => inline.test(code)).map(({ path }) => path)).toEqual([]);
  });

  test("says at the top of each file what it is, in files that can be read", () => {
    expect(files.filter(({ code }) => !code.startsWith("/**")).map(({ path }) => path)).toEqual([]);
    expect(files.filter(({ code }) => code.split("\n").length > MAX_LINES).map(({ path }) => path)).toEqual([]);
  });
});
