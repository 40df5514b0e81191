/** Prints how both engines do on the official JSON-Schema-Test-Suite: `npx node test/schema/report.ts`. */
import { ajvEngine } from "../../src/schema/ajv.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import { officialSuiteDirectory, runOfficialSuite } from "./official-suite.ts";

const directory = officialSuiteDirectory();
if (directory === undefined) console.log("official suite not found; set JSON_SCHEMA_TEST_SUITE to its directory");
else {
  const rows = (["draft2020-12", "draft7"] as const).flatMap((dialect) =>
    [ajvEngine(), interpreterEngine()].map((engine) => {
      const { passed, failed, refusedCases: refused, total } = runOfficialSuite(engine, dialect, directory);
      return { dialect, engine: engine.name, passed, failed, refused, total };
    }),
  );
  console.table(rows);
}
