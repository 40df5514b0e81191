/**
 * What Workers and hubs say to each other: nothing gets lost on the way, and nothing that is forged gets through.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  assertChange,
  commonVersion,
  decodeFrame,
  decodeJoin,
  encodeFrame,
  encodeJoin,
  EVERYTHING,
  FRAME_VERSIONS,
  hashUri,
  type HubFrame,
  interestOf,
  isOfInterest,
  type Join,
} from "../../src/cloudflare/frames.ts";
import type { Change, SubscriptionFilter } from "../../src/protocol/subscription.ts";
import { createMatcher, MAX_SUBSCRIPTION_URIS } from "../../src/subscriptions/filter.ts";

const KINDS = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const;

const uris = fc.string({ minLength: 1, unit: "binary" });
const seqs = fc.nat(Number.MAX_SAFE_INTEGER);
const positions = fc.record({ epoch: fc.string(), seq: seqs });
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...KINDS).map((type) => ({ type })),
  uris.map((uri) => ({ type: "resourceUpdated", uri }) as const),
);
const filters: fc.Arbitrary<SubscriptionFilter> = fc.record(
  {
    toolsListChanged: fc.boolean(),
    promptsListChanged: fc.boolean(),
    resourcesListChanged: fc.boolean(),
    resourceSubscriptions: fc.array(uris),
  },
  { requiredKeys: [] },
);
const frames: fc.Arbitrary<HubFrame> = fc.oneof(
  fc.record({ type: fc.constant("joined" as const), version: seqs, position: positions, missed: fc.boolean() }),
  fc.record({ type: fc.constant("changes" as const), changes: fc.array(fc.record({ seq: seqs, change: changes })) }),
);

describe("a join", () => {
  test("arrives as it was sent, in characters that a header may hold", () => {
    const joins: fc.Arbitrary<Join> = fc.record({
      versions: fc.array(fc.nat()),
      interest: fc.oneof(filters.map(interestOf), fc.constant(EVERYTHING)),
      resume: fc.option(fc.record({ epoch: fc.uuid(), seq: seqs }), { nil: undefined }),
      after: fc.option(seqs, { nil: undefined }),
    });
    fc.assert(
      fc.property(joins, (join) => {
        const header = encodeJoin(join);
        expect(header).toMatch(/^[\x20-\x7e]+$/);
        expect(decodeJoin(header)).toEqual(join);
      }),
    );
  });

  test("fits a request's headers and a socket's attachment with as many URIs as a filter may hold", () => {
    const many = Array.from({ length: MAX_SUBSCRIPTION_URIS }, (_, index) => `note://${index}`);
    const header = encodeJoin({
      versions: [1],
      interest: interestOf({ resourceSubscriptions: many }),
      resume: undefined,
    });
    expect(header.length).toBeLessThan(16_384);
    expect(decodeJoin(header)?.interest.uris).toHaveLength(MAX_SUBSCRIPTION_URIS);
  });

  test("may have members and lists of a later version, which are left out", () => {
    const header = JSON.stringify({ versions: [1, 2], lists: ["tasksChanged", KINDS[0]], uris: "", colour: "red" });
    expect(decodeJoin(header)).toEqual({
      versions: [1, 2],
      interest: { lists: [KINDS[0]], uris: new Uint32Array() },
      resume: undefined,
      after: undefined,
    });
  });

  const good = { versions: [1], lists: [], uris: "" };
  test.each<[string, unknown]>([
    ["is no object", [good]],
    ["is null", null],
    ["has no versions", { ...good, versions: undefined }],
    ["has a version that is no integer", { ...good, versions: [1.5] }],
    ["has a version that is a string", { ...good, versions: ["1"] }],
    ["has no lists", { ...good, lists: undefined }],
    ["has no hashes", { ...good, uris: undefined }],
    ["has hashes that are no Base64", { ...good, uris: "?" }],
    ["has three quarters of a hash", { ...good, uris: "AAAA" }],
    ["has more hashes than fit beside a socket", { ...good, uris: "A".repeat(16_388) }],
    ["goes on at null", { ...good, resume: null }],
    ["goes on without an epoch", { ...good, resume: { seq: 1 } }],
    ["goes on at a number that is a string", { ...good, resume: { epoch: "e", seq: "1" } }],
    ["asks for what came after no time", { ...good, after: "now" }],
    ["goes on between two numbers", { ...good, resume: { epoch: "e", seq: 1.5 } }],
  ])("that %s is refused", (_what, value) => {
    expect(decodeJoin(JSON.stringify(good))).toBeDefined();
    expect(decodeJoin(JSON.stringify(value))).toBeUndefined();
  });

  test("never makes the hub throw, whatever the header says", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (header) => void decodeJoin(header)));
  });
});

describe("versions", () => {
  test.each<[readonly number[], readonly number[], number | undefined]>([
    [[1], [1], 1],
    [[1, 2], [2, 1], 2],
    [[2, 1], [1], 1],
    [[2, 3], [1], undefined],
    [[], [1], undefined],
  ])("of %j and %j, ours best first, the common one is %s", (theirs, ours, common) => {
    expect(commonVersion(theirs, ours)).toBe(common);
  });

  test("of this code are spoken by this code", () => {
    expect(commonVersion(FRAME_VERSIONS)).toBe(FRAME_VERSIONS[0]);
  });
});

describe("a frame", () => {
  test("arrives as it was sent", () => {
    fc.assert(
      fc.property(frames, (frame) => {
        expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
      }),
    );
  });

  test("of a type, a kind of change or with members that a later version may have is ignored so far", () => {
    expect(decodeFrame('{"type":"hint","text":"hello"}')).toBeUndefined();
    expect(
      decodeFrame('{"type":"changes","changes":[[1,"tasksChanged"],[2,"toolsListChanged",null,7]],"at":5}'),
    ).toEqual({
      type: "changes",
      changes: [{ seq: 2, change: { type: "toolsListChanged" } }],
    });
  });

  const position = { epoch: "e", seq: 1 };
  test.each<[string, unknown]>([
    ["is binary", new ArrayBuffer(4)],
    ["is not JSON", "{"],
    ["is no object", "[]"],
    ["has no type", "{}"],
    ["has a type that is no string", '{"type":1}'],
    ["joins without a version", JSON.stringify({ type: "joined", position, missed: false })],
    ["joins nowhere", JSON.stringify({ type: "joined", version: 1, missed: false })],
    [
      "joins between two numbers",
      JSON.stringify({ type: "joined", version: 1, position: { epoch: "e", seq: 0.5 }, missed: false }),
    ],
    ["does not say whether some was missed", JSON.stringify({ type: "joined", version: 1, position })],
    ["changes nothing nameable", '{"type":"changes","changes":{}}'],
    ["has a change that is no array", '{"type":"changes","changes":[{"seq":1}]}'],
    ["has a change without a number", '{"type":"changes","changes":[["toolsListChanged"]]}'],
    ["has a change whose number is a string", '{"type":"changes","changes":[["1","toolsListChanged"]]}'],
    ["has a change without a kind", '{"type":"changes","changes":[[1]]}'],
    ["has an update without its URI", '{"type":"changes","changes":[[1,"resourceUpdated"]]}'],
  ])("that %s is forged", (_what, text) => {
    expect(() => decodeFrame(text)).toThrow(TypeError);
  });

  test("is decoded, ignored or a TypeError, and nothing else, whatever arrives", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          decodeFrame(text);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});

describe("interest", () => {
  test("covers all that its filter covers", () => {
    fc.assert(
      fc.property(filters, fc.array(changes), (filter, others) => {
        const own = (filter.resourceSubscriptions ?? []).map((uri) => ({ type: "resourceUpdated", uri }) as const);
        const matches = createMatcher(filter);
        const interest = interestOf(filter);
        for (const change of [...own, ...others]) {
          if (matches(change)) expect(isOfInterest(interest, change)).toBe(true);
        }
      }),
    );
  });

  test("in everything covers everything", () => {
    fc.assert(
      fc.property(changes, (change) => {
        expect(isOfInterest(EVERYTHING, change)).toBe(true);
      }),
    );
  });

  test("covers no list that was not asked for, and no URI but those that share a hash", () => {
    fc.assert(
      fc.property(filters, changes, (filter, change) => {
        const hashes = (filter.resourceSubscriptions ?? []).map(hashUri);
        const expected =
          change.type === "resourceUpdated" ? hashes.includes(hashUri(change.uri)) : filter[change.type] === true;
        expect(isOfInterest(interestOf(filter), change)).toBe(expected);
      }),
    );
  });

  test.each([
    ["", 0x811c9dc5],
    ["a", 0xe40c292c],
    ["foobar", 0xbf9cf968],
  ])("knows %j by its FNV-1a hash", (uri, hash) => {
    expect(hashUri(uri)).toBe(hash);
  });
});

describe("a change to be published", () => {
  test("is taken as it is, without what does not belong to it", () => {
    fc.assert(
      fc.property(changes, (change) => {
        expect(assertChange({ ...change, extra: 1 })).toEqual(change);
      }),
    );
  });

  test.each<[string, unknown, string]>([
    ["is no object", "toolsListChanged", "change:"],
    ["is null", null, "change:"],
    ["is of no kind", { type: "everythingChanged" }, "change.type:"],
    ["has a kind that every object has", { type: "toString" }, "change.type:"],
    ["has no URI", { type: "resourceUpdated" }, "change.uri:"],
    ["has an empty URI", { type: "resourceUpdated", uri: "" }, "change.uri:"],
    ["has a URI that is too long", { type: "resourceUpdated", uri: "x".repeat(2_049) }, "change.uri:"],
  ])("that %s is refused, with the member's name", (_what, value, message) => {
    expect(() => assertChange(value)).toThrow(message);
    expect(() => assertChange(value)).toThrow(TypeError);
  });
});
