import { describe, expect, test } from "vitest";
import { BEHAVIOUR, type Bench } from "./behaviour.ts";
import { behaviourServer } from "./behaviour-server.ts";

const server = behaviourServer();
const bench: Bench = {
  url: "https://mcp.test/mcp",
  fetch: async (input, init) => server.fetch(new Request(input, init)),
  equal: (actual, expected) => expect(actual).toEqual(expected),
};

describe("the client", () => {
  test.each(BEHAVIOUR)("$title", ({ run }) => run(bench));
});
