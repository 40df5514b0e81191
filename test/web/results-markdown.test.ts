import { describe, expect, test } from "vitest";
import { looksLikeMarkdown, type MarkdownChild, parseMarkdown } from "../../web/results/markdown.ts";

/** As HTML would write it, so that a table of cases can be read. */
function written(children: readonly MarkdownChild[]): string {
  return children
    .map((child) => {
      if (typeof child === "string") return child;
      const [tag, children, { href, start } = {}] = child;
      const attribute = href === undefined ? (start === undefined ? "" : ` ${start}`) : ` ${href}`;
      return `<${tag}${attribute}>${written(children)}</${tag}>`;
    })
    .join("");
}

const cases: readonly (readonly [name: string, text: string, expected: string])[] = [
  ["paragraphs", "one\n\n\ntwo", "<p>one</p><p>two</p>"],
  ["line ends within a paragraph", "one  \ntwo\r\nthree", "<p>one  \ntwo\nthree</p>"],
  ["headings, below those of the page", "# A\n## B\n#### C", "<h4>A</h4><h5>B</h5><h6>C</h6>"],
  ["a hash that is no heading", "#tag", "<p>#tag</p>"],
  [
    "emphasis",
    "*a* **b** ***c*** _d_ __e__ ~~f~~",
    "<p><em>a</em> <strong>b</strong> <strong>c</strong> <em>d</em> <strong>e</strong> <del>f</del></p>",
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
  ["code", "`a*b*` and ``c`d``", "<p><code>a*b*</code> and <code>c`d</code></p>"],
  ["escapes", "\\*a\\* \\[b](http://c) \\d", "<p>*a* [b](<a http://c>http://c</a>) \\d</p>"],
  [
    "links",
    '[a](https://b.test/c_(d)) [*e*](http://f.test "g")',
    "<p><a https://b.test/c_(d)>a</a> <a http://f.test><em>e</em></a></p>",
  ],
  ["brackets in the text of a link", "[[1]](https://b.test)", "<p><a https://b.test>[1]</a></p>"],
  [
    "bare addresses",
    "see https://a.test/b_c. (http://d.test)",
    "<p>see <a https://a.test/b_c>https://a.test/b_c</a>. (<a http://d.test>http://d.test</a>)</p>",
  ],
  ["no link in a link", "[https://a.test](https://b.test)", "<p><a https://b.test>https://a.test</a></p>"],
  [
    "other schemes stay text",
    "[a](javascript:alert(1)) [b](data:text/html,x) [c](/d) <javascript:e>",
    "<p>[a](javascript:alert(1)) [b](data:text/html,x) [c](/d) <javascript:e></p>",
  ],
  ["an address that is none", "[a](https:// b)", "<p>[a](https:// b)</p>"],
  ["pictures become links", "![a](https://b.test/c.png)", "<p>!<a https://b.test/c.png>a</a></p>"],
  ["HTML stays text", "<b onclick=x>a</b> &amp;", "<p><b onclick=x>a</b> &amp;</p>"],
  ["fences", "```js\n*a*\n\n# b\n```\nc", "<pre>*a*\n\n# b\n</pre><p>c</p>"],
  ["a fence that never ends", "~~~\na", "<pre>a</pre>"],
  ["rules", "---\n* * *", "<hr></hr><hr></hr>"],
  ["quotes", "> a\n> > b\nc", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><p>c</p>"],
  ["lists", "- a\n- b\n\nc", "<ul><li><p>a</p></li><li><p>b</p></li></ul><p>c</p>"],
  ["numbered lists", "3. a\n4. b", "<ol 3><li><p>a</p></li><li><p>b</p></li></ol>"],
  [
    "nested lists",
    "1. a\n   - b\n     c\n2. d\n\n   e",
    "<ol 1><li><p>a</p><ul><li><p>b\nc</p></li></ul></li><li><p>d</p><p>e</p></li></ol>",
  ],
  ["indented lists", "  - a\n  - b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
  ["lists of two kinds", "- a\n1. b", "<ul><li><p>a</p></li></ul><ol 1><li><p>b</p></li></ol>"],
  [
    "tables",
    "t\n| a | b |\n|:--|--:|\n| `c` | d\\|e |\n\nf",
    "<p>t</p><table><tr><th>a</th><th>b</th></tr><tr><td><code>c</code></td><td>d|e</td></tr></table><p>f</p>",
  ],
  ["a bar that makes no table", "a | b\nc", "<p>a | b\nc</p>"],
];

describe("Markdown", () => {
  test.each(cases)("%s", (_name, text, expected) => {
    expect(written(parseMarkdown(text))).toBe(expected);
  });

  test("there is nothing but text in elements of known names, and links lead to http and https", () => {
    const tags = new Set<string>();
    const visit = (child: MarkdownChild): void => {
      if (typeof child === "string") return;
      const [tag, inside, attributes = {}] = child;
      tags.add(tag);
      expect(Object.keys(attributes).every((name) => /^(?:href|title|target|rel|start)$/.test(name))).toBe(true);
      expect(attributes["href"] ?? "http:").toMatch(/^https?:/i);
      inside.forEach(visit);
    };
    for (const [, text] of cases) parseMarkdown(`${text}\n\n[a](HTTPS://x.test)`).forEach(visit);
    expect([...tags].filter((tag) => /script|img|iframe|style/.test(tag))).toEqual([]);
  });

  test("what looks like Markdown is told from plain text", () => {
    for (const text of ["# a", "x\n- a", "**a**", "`a`", "[a](https://b)", "| a | b |\n|-|-|"])
      expect(looksLikeMarkdown(text)).toBe(true);
    for (const text of ["", "a * b", "Pinned note 1", "a-b", "#a", "snake_case"])
      expect(looksLikeMarkdown(text)).toBe(false);
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
    "~~",
    "`",
    "``",
    "``` ",
    "`a",
    "> ",
    ">",
    "- ",
    "1. ",
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
    "~~a ",
    "<",
    "\u202e",
    "\ud800",
  ];

  test.each(hostile)("%j over and over is text like any other", (piece) => {
    // Work that grew as the square of this would not end before the test's deadline.
    const text = piece.repeat(100_000 / piece.length);
    looksLikeMarkdown(text);
    expect(written(parseMarkdown(text)).replace(/<\/?[a-z]+\d?( [^>]*)?>/g, "").length).toBeLessThanOrEqual(
      text.length,
    );
  });

  test("as much as anybody nests ends, and what is deeper stays text", () => {
    const nested = written(parseMarkdown(`${"> ".repeat(200)}deep`));
    expect(nested.match(/<blockquote>/g)?.length).toBeLessThan(20);
    expect(nested).toContain("> deep");
  });

  test("a very long text is not looked into, and nothing of it is lost", () => {
    const text = "*a* ".repeat(20_000);
    expect(written(parseMarkdown(text))).toBe(`<p>${text}</p>`);
    expect(written(parseMarkdown(text.slice(0, 40_000))).match(/<em>a<\/em>/g)).toHaveLength(10_000);
  });
});
