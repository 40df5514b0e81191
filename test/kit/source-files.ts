/** The source tree as these tests see it: every file of `src/`, and what it imports. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export interface Import {
  /** As written for a package or a runtime module; relative to `src/` for a file of ours. */
  readonly target: string;
  /** Whether nothing of it is left at run time. */
  readonly typeOnly: boolean;
  readonly reExport: boolean;
}

export interface SourceFile {
  /** Relative to `src/`. */
  readonly path: string;
  /** The folder below `src/`, or the file itself where it lies directly in it. */
  readonly layer: string;
  readonly lines: number;
  /** Whether it opens with a comment. */
  readonly introduced: boolean;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export function sourceFiles(): SourceFile[] {
  return readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .toSorted()
    .map(readSource);
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, "src", path), "utf8");
  const code = withoutComments(text);
  const [layer = path] = path.split("/");
  return {
    path,
    layer,
    lines: text.split("\n").length - 1,
    introduced: text.startsWith("/**"),
    code,
    imports: importsOf(path, code),
  };
}

/** Leaves strings alone, so that a `//` inside one does not end it. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[^]*?\*\/|\/\/[^\n]*/g,
    (_comment, literal: string | undefined) => literal ?? "",
  );
}

const STATIC = /^(import|export)\s+(type\s+)?([^;"]*?\s+from\s+)?"([^"]+)"/gm;
const DYNAMIC = /\bimport\(\s*"([^"]+)"/g;

function importsOf(path: string, code: string): Import[] {
  const fixed = Array.from(code.matchAll(STATIC), ([, verb, type, clause, target = ""]) => ({
    target: resolved(path, target),
    typeOnly: type !== undefined || isTypeOnly(clause ?? ""),
    reExport: verb === "export",
  }));
  const late = Array.from(code.matchAll(DYNAMIC), ([, target = ""]) => ({
    target: resolved(path, target),
    typeOnly: false,
    reExport: false,
  }));
  return [...fixed, ...late];
}

/** `{ type A, type B }`: every name is marked. */
function isTypeOnly(clause: string): boolean {
  const names = /^\{([^}]*)\}/.exec(clause.trim())?.[1]?.split(",") ?? [];
  const given = names.map((name) => name.trim()).filter((name) => name !== "");
  return given.length > 0 && given.every((name) => name.startsWith("type "));
}

function resolved(from: string, target: string): string {
  return target.startsWith(".") ? normalize(join(dirname(from), target)) : target;
}
