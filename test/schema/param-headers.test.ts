/** Which annotations of an input schema are found; what they do to a request is test/http/param-headers.test.ts. */
import { expect, test } from "vitest";
import { planParamHeaders } from "../../src/schema/param-headers.ts";

const annotated = { properties: { region: { type: "string", "x-mcp-header": "Region" } } };

test.each(["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#"])(
  "a schema of the dialect %s is read as such",
  ($schema) => {
    // A keyword of draft-07 alone, below which no property is reached by `properties` alone.
    const schema = { $schema, dependencies: { zone: annotated } };
    expect(() => planParamHeaders(schema)).toThrow(/may only be on a property that `properties` alone lead to/);
    expect(planParamHeaders({ $schema, ...annotated })).toHaveLength(1);
  },
);

test("a schema of an unknown dialect is refused rather than read as another", () => {
  expect(() => planParamHeaders({ $schema: "http://json-schema.org/draft-04/schema#", ...annotated })).toThrow(
    /dialect/,
  );
});
