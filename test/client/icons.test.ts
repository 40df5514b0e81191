import { expect, test } from "vitest";
import { withSafeIcons } from "../../src/client/icons.ts";
import { against, result } from "./fake-fetch.ts";

test.each([
  ["https://host/icon.png", true],
  ["HTTPS://host/icon.png", true],
  ["data:image/png;base64,AAAA", true],
  ["data:image/svg+xml,<svg/>", true],
  ["javascript:alert(1)", false],
  ["JaVaScRiPt:alert(1)", false],
  [" javascript:alert(1)", false],
  ["java\nscript:alert(1)", false],
  ["\u0000javascript:https://x", false],
  ["data:text/html,<script>alert(1)</script>", false],
  ["data:,x", false],
  ["vbscript:x", false],
  ["file:///etc/passwd", false],
  ["ftp://host/icon.png", false],
  ["ws://host/", false],
  ["blob:https://host/1", false],
  ["app-scheme:icon", false],
  ["http://host/icon.png", false],
  ["/icon.png", false],
  ["//host/icon.png", false],
  ["https:/host", false],
  ["", false],
  [undefined, false],
  [["https://host/icon.png"], false],
])("an icon from %j is kept: %j", (src, kept) => {
  const item = { name: "x", icons: [{ src }, { src: "https://safe/" }] };
  expect(withSafeIcons(item).icons).toHaveLength(kept ? 2 : 1);
  const alone = withSafeIcons({ name: "x", icons: [{ src }] });
  expect(alone).toEqual(kept ? { name: "x", icons: [{ src }] } : { name: "x" });
});

test.each(["https://host/icon.png", null, 5, { src: "https://host/icon.png" }])(
  "icons that are %j are none",
  (icons) => {
    expect(withSafeIcons({ name: "x", icons })).toEqual({ name: "x" });
  },
);

test("what has no icons, or safe ones, stays the same object", () => {
  const items = [{ name: "x" }, { name: "x", icons: [{ src: "https://host/icon.png" }] }, { name: "x", icons: [] }];
  for (const item of items) expect(withSafeIcons(item)).toBe(item);
});

test("links in results and in the messages of prompts lose them, too", async () => {
  const link = { type: "resource_link", uri: "a:b", name: "n" };
  const unsafe = { ...link, icons: [{ src: "javascript:alert(1)" }] };
  const { client } = against((request) =>
    result(request, { content: [unsafe, "spoilt"], messages: [{ role: "user", content: unsafe }], contents: [] }),
  );
  expect((await client.callTool("t")).content).toEqual([link, "spoilt"]);
  expect((await client.getPrompt("p")).messages).toEqual([{ role: "user", content: link }]);
});
