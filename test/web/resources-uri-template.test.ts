/** Templates filled in by hand, by the examples of RFC 6570. */
import { describe, expect, test } from "vitest";
import { parseUriTemplate } from "../../src/server/uri-template.ts";
import { expand, variablesOf } from "../../web/resources/uri-template.ts";

const VALUES = {
  var: "value",
  hello: "Hello World!",
  half: "50%",
  empty: "",
  x: "1024",
  y: "768",
  path: "/foo/bar",
  base: "http://example.com/home/",
};

describe("expansion", () => {
  test.each([
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["O{empty}X", "OX"],
    ["O{undef}X", "OX"],
    ["{x,y}", "1024,768"],
    ["{x,undef,y}", "1024,768"],
    ["?{x,empty}", "?1024,"],
    ["{half}", "50%25"],
    ["{+hello}", "Hello%20World!"],
    ["{+half}", "50%25"],
    ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
    ["{+base}index", "http://example.com/home/index"],
    ["{+path}/here", "/foo/bar/here"],
    ["here?ref={+path}", "here?ref=/foo/bar"],
    ["{#path,x}here", "#/foo/bar,1024here"],
    ["X{.var}", "X.value"],
    ["X{.x,y}", "X.1024.768"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{/var,empty}", "/value/"],
    ["{;x,y,empty}", ";x=1024;y=768;empty="],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{?undef}{&undef}", ""],
  ])("%s becomes %s", (template, uri) => {
    expect(expand(template, VALUES)).toBe(uri);
  });

  test("takes a variable as a whole, whatever a modifier says", () => {
    expect(expand("{var:3}{+path*}", VALUES)).toBe("value/foo/bar");
  });

  test("never throws, whatever the template or the text", () => {
    expect(expand("{", VALUES)).toBe("{");
    expect(expand("{}{!x}", VALUES)).toBe("{}");
    expect(expand("{x}", { x: "\ud800" })).toBe("%EF%BF%BD");
    expect(expand("{constructor}{__proto__}", {})).toBe("");
  });

  test("is what servers find the same values in", () => {
    for (const value of ["Küche", "a b/c?d#e", "50%", "(*)", "😀"]) {
      const template = "note://{board}/{id}{?q}";
      const uri = expand(template, { board: value, id: "1", q: value });
      expect(parseUriTemplate(template).match(uri)).toEqual({ board: value, id: "1", q: value });
    }
  });
});

test("the variables are named once each, in the order of the template", () => {
  expect(variablesOf("a://{b}/{+c:3}{?d*,b}{/e}")).toEqual(["b", "c", "d", "e"]);
  expect(variablesOf("plain://none")).toEqual([]);
});
