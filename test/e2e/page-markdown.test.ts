/**
 * Markdown on the page, in Chromium: what each construct becomes, and that no text takes more time than its length allows.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { openTab, type Tab } from "./page-kit.ts";
import { openViews, show } from "./results-kit.ts";

let browser: Browser;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  tab = await openTab(browser);
  ({ page } = tab);
  await openViews(page);
});

afterAll(() => browser?.close());

beforeEach(() => {
  tab.complaints.length = 0;
});

afterEach(() => {
  expect(tab.complaints).toEqual([]);
});

/** Without what all links and all items of lists have. */
async function written(text: string): Promise<string> {
  await show(page, "markdown", text);
  const html = await page.evaluate<string>("document.querySelector('.prose').innerHTML");
  return html
    .replaceAll(' target="_blank" rel="noopener noreferrer"', "")
    .replaceAll(' style="margin-left: 0em;"', "")
    .replaceAll("margin-left: 0em; ", "");
}

/** Whether a text of no type is shown as Markdown. */
async function isOffered(text: string): Promise<boolean> {
  await show(page, "content", { type: "text", text });
  return (await page.locator(".prose").count()) > 0;
}

const cases: readonly (readonly [name: string, text: string, expected: string])[] = [
  ["paragraphs", "one\n\n\ntwo", "<p>one</p><p>two</p>"],
  ["line ends within a paragraph", "one  \ntwo\r\nthree", "<p>one  \ntwo\nthree</p>"],
  ["headings, below those of the page", "# A\n## B\n#### C", "<h4>A</h4><h5>B</h5><h6>C</h6>"],
  [
    "numbers, as they are written",
    "7. a\n9. b",
    '<ol><li style="list-style: &quot;7. &quot;;">a</li><li style="list-style: &quot;9. &quot;;">b</li></ol>',
  ],
  ["line ends of other kinds, with what is after them", "a\u2028b\rc", "<p>a\u2028b\rc</p>"],
  ["a fence that is none, as it holds its own end", "```rm -rf /``` it is", "<p>``<code>rm -rf /</code>`` it is</p>"],
  ["a hash that is no heading", "#tag", "<p>#tag</p>"],
  [
    "emphasis",
    "*a* **b** ***c*** _d_ __e__",
    "<p><em>a</em> <strong>b</strong> <strong>c</strong> <em>d</em> <strong>e</strong></p>",
  ],
  [
    "emphasis in emphasis",
    "**a *b* c** *d **e** f*",
    "<p><strong>a <em>b</em> c</strong> <em>d <strong>e</strong> f</em></p>",
  ],
  [
    "stars and lines that are none",
    "2 * 3 * 4, snake_case_name, a ** b **",
    "<p>2 * 3 * 4, snake_case_name, a ** b **</p>",
  ],
  ["code", "`a*b*` and `c`", "<p><code>a*b*</code> and <code>c</code></p>"],
  ["escapes", "\\*a\\* snake\\_case \\d", "<p>*a* snake_case \\d</p>"],
  [
    "links",
    '[a](https://b.test/c) [*d*](http://f.test "g")',
    '<p><a href="https://b.test/c">a</a> <a href="http://f.test">*d*</a></p>',
  ],
  [
    "bare addresses",
    "see https://a.test/b_c. (http://d.test)",
    '<p>see <a href="https://a.test/b_c">https://a.test/b_c</a>. (<a href="http://d.test">http://d.test</a>)</p>',
  ],
  ["no link in a link", "[https://a.test](https://b.test)", '<p><a href="https://b.test">https://a.test</a></p>'],
  [
    "other schemes stay text",
    "[a](javascript:alert(1)) [b](data:text/html,x) [c](/d) <javascript:e>",
    "<p>[a](javascript:alert(1)) [b](data:text/html,x) [c](/d) &lt;javascript:e&gt;</p>",
  ],
  ["an address that is none", "[a](https:// b)", "<p>[a](https:// b)</p>"],
  ["pictures become links", "![a](https://b.test/c.png)", '<p>!<a href="https://b.test/c.png">a</a></p>'],
  ["HTML stays text", "<b onclick=x>a</b> &amp;", "<p>&lt;b onclick=x&gt;a&lt;/b&gt; &amp;amp;</p>"],
  ["fences", "```js\n*a*\n\n# b\n```\nc", "<pre>*a*\n\n# b\n</pre><p>c</p>"],
  ["a fence that never ends", "```\na", "<pre>a</pre>"],
  ["quotes", "> a\n> b\n\nc", "<blockquote>a\nb</blockquote><p>c</p>"],
  ["lists", "- a\n- b\n\nc", "<ul><li>a</li><li>b</li></ul><p>c</p>"],
  [
    "numbered lists",
    "3. a\n4. b",
    '<ol><li style="list-style: &quot;3. &quot;;">a</li><li style="list-style: &quot;4. &quot;;">b</li></ol>',
  ],
  [
    "items in items, set in",
    "- a\n  - b\n    c\n\n- d",
    '<ul><li>a</li><li style="margin-left: 1em;">b\nc</li><li>d</li></ul>',
  ],
  ["lists of two kinds", "- a\n1. b", '<ul><li>a</li></ul><ol><li style="list-style: &quot;1. &quot;;">b</li></ol>'],
  [
    "tables",
    "t\n| a | b |\n|:--|--:|\n| `c` | d |\n\nf",
    "<p>t</p><table><tr><td>a</td><td>b</td></tr><tr><td><code>c</code></td><td>d</td></tr></table><p>f</p>",
  ],
  ["a bar that makes no table", "a | b\nc", "<p>a | b\nc</p>"],
];

describe("Markdown", () => {
  test.each(cases)("%s", async (_name, text, expected) => {
    expect(await written(text)).toBe(expected);
  });

  test("what looks like Markdown is told from plain text", async () => {
    for (const text of ["# a", "x\n- a", "**a**", "`a`", "[a](https://b)", "| a | b |\n|-|-|"])
      expect(await isOffered(text)).toBe(true);
    for (const text of ["", "a * b", "Pinned note 1", "a-b", "#a", "snake_case"])
      expect(await isOffered(text)).toBe(false);
  });

  const hostile = [
    "[",
    "]",
    "[[",
    "](",
    "[a](",
    "![",
    "*",
    "**",
    "***a",
    "*a ",
    "**a *b ",
    "_",
    "_a ",
    "__a",
    "`",
    "``",
    "``` ",
    "`a",
    "> ",
    ">",
    "- ",
    "1. ",
    "1. \n",
    "1. a\n",
    "#",
    "# ",
    "|",
    "| ",
    "|-",
    "\\",
    "http://",
    "https://a.",
    "https://a(",
    "[a](https://",
    "[a](https://b(",
    '[a](https://b "',
    "(",
    " ",
    "\t",
    "\n ",
    "a\n| ",
    "a|b\n-|-\n",
    "- a\n  ",
    "<",
    "\u202e",
    "\ud800",
  ];

  test.each(hostile)("%j over and over is text like any other", async (piece) => {
    const text = piece.repeat(50_000 / piece.length);
    // Work that grew as the square of this would not end before the test's deadline.
    await show(page, "markdown", text);
    expect(await page.evaluate("document.querySelector('.prose').textContent.length")).toBeLessThanOrEqual(text.length);
    await show(page, "markdown", `[a](https://${piece.repeat(48_000 / piece.length)}`);
  });

  test("a very long text is not looked into, and nothing of it is lost", async () => {
    const text = "*a* ".repeat(20_000);
    expect(await written(text)).toBe(text);
    expect((await written(text.slice(0, 40_000))).match(/<em>a<\/em>/g)).toHaveLength(10_000);
  });
});
