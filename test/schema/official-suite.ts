/**
 * Runs the official JSON-Schema-Test-Suite against an engine.
 *
 * Contract: only the required files count (`optional/` asserts formats and content, which are annotations here). A group whose schema is
 * refused at compile counts as refused, case by case; a wrong verdict counts as failed. Remote documents are never served, so cases that
 * need them have to be refused.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SchemaError, type JsonSchema, type SchemaEngine } from "../../src/schema/engine.ts";

export type SuiteDialect = "draft2020-12" | "draft7";

export interface SuiteCounts {
  readonly passed: number;
  readonly failed: number;
  readonly refusedCases: number;
  readonly total: number;
  readonly failures: readonly string[];
  /** The groups behind `refusedCases`, with the reason. */
  readonly refusals: readonly string[];
}

interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonSchema | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Where Debian's libtest-json-schema-acceptance-perl keeps the suite. */
const DEBIAN = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";

/** The directory that holds `tests/`, or `undefined`. @throws when JSON_SCHEMA_TEST_SUITE names one that does not. */
export function officialSuiteDirectory(): string | undefined {
  const named = process.env["JSON_SCHEMA_TEST_SUITE"];
  if (named !== undefined && !existsSync(join(named, "tests")))
    throw new Error(`JSON_SCHEMA_TEST_SUITE=${named} has no folder tests`);
  return named ?? (existsSync(join(DEBIAN, "tests")) ? DEBIAN : undefined);
}

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

export function runOfficialSuite(engine: SchemaEngine, dialect: SuiteDialect, directory: string): SuiteCounts {
  const counts = {
    passed: 0,
    failed: 0,
    refusedCases: 0,
    total: 0,
    failures: [] as string[],
    refusals: [] as string[],
  };
  const folder = join(directory, "tests", dialect);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    // The suite's own schema fixes this shape.
    const groups = JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly SuiteGroup[];
    for (const group of groups) runGroup(engine, dialect, `${file}: ${group.description}`, group, counts);
  }
  return counts;
}

type Mutable = { -readonly [K in keyof SuiteCounts]: SuiteCounts[K] extends readonly string[] ? string[] : number };

function runGroup(engine: SchemaEngine, dialect: SuiteDialect, name: string, group: SuiteGroup, counts: Mutable): void {
  counts.total += group.tests.length;
  let check;
  try {
    check = engine.compile(inDialect(group.schema, dialect));
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    counts.refusedCases += group.tests.length;
    counts.refusals.push(`${name} (${group.tests.length}): ${error.message}`);
    return;
  }
  for (const test of group.tests) {
    if ((check(test.data) === undefined) === test.valid) counts.passed++;
    else {
      counts.failed++;
      counts.failures.push(`${name}: ${test.description}`);
    }
  }
}

/** The draft-07 files leave `$schema` out; here that would mean 2020-12. */
function inDialect(schema: JsonSchema | boolean, dialect: SuiteDialect): JsonSchema | boolean {
  if (typeof schema === "boolean" || dialect === "draft2020-12" || Object.hasOwn(schema, "$schema")) return schema;
  return { ...schema, $schema: DRAFT_07 };
}
