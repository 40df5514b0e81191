/**
 * The field cases that concern a modern server, over real HTTP against one Worker on workerd.
 *
 * The cases are in `field/`, a file a section; each names the case it stands for. The last one looks back at the answers
 * to all the others.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { argumentCases } from "./field/arguments.ts";
import { codesSeen, FieldClient } from "./field/client.ts";
import { bodyCases, envelopeCases } from "./field/envelope.ts";
import type { Field } from "./field/field.ts";
import { headerCases } from "./field/headers.ts";
import { inputCases } from "./field/input.ts";
import { listCases } from "./field/lists.ts";
import { metaCases } from "./field/meta.ts";
import { streamCases } from "./field/streams.ts";
import { subscriptionCases } from "./field/subscriptions.ts";
import { type RunningWorker, startWrangler } from "./wrangler-dev.ts";

describe("the field Worker on workerd", () => {
  let worker: RunningWorker | undefined;
  beforeAll(async () => {
    worker = await startWrangler("test/field/wrangler.toml");
  });
  afterAll(() => worker?.stop());

  const field: Field = {
    client: new FieldClient(() => worker?.url ?? "http://127.0.0.1:1"),
    output: () => worker?.output() ?? "",
  };
  envelopeCases(field);
  bodyCases(field);
  argumentCases(field);
  headerCases(field);
  metaCases(field);
  streamCases(field);
  listCases(field);
  inputCases(field);
  subscriptionCases(field);

  // RPC-15
  it("never used an error code outside JSON-RPC's own and the three of this revision", () => {
    const sorted = [...codesSeen].toSorted((a, b) => a - b);
    expect(sorted).toEqual([-32700, -32603, -32602, -32601, -32600, -32022, -32021, -32020]);
  });

  it("printed no error of its own besides the one that a tool was asked to throw and the one that broke a rule", () => {
    expect(worker?.output() ?? "").not.toMatch(/Uncaught|hung|cross-request|Cannot perform I\/O/i);
  });
});
