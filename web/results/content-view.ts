/**
 * What tools return, prompts say and resources hold, as elements.
 *
 * Contract: types are a server's claim. Whatever comes is shown, as JSON if it is nothing else, and nothing is fetched.
 */
import type { CheckedToolResult, ResourceContents } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { parsed } from "../../src/protocol/json-text.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { asText, box, type Child, copyButton, h, jsonText, linkOrText } from "../dom.ts";
import { objectOf } from "../text.ts";
import { entryOf } from "../resources/described.ts";
import { hrefTo } from "../route.ts";
import { cut } from "./cut.ts";
import { folded } from "./folded.ts";
import { jsonView } from "./json-view.ts";
import { markdown } from "./markdown.ts";
import { mediaView } from "./media-view.ts";
import { isTable, tableView } from "./table-view.ts";

type View = readonly [label: string, make: () => HTMLElement];

const LONG_TEXT = 100_000;
const MAX_BLOCKS = 200;
const MAX_ISSUES = 50;

export function resultView(result: CheckedToolResult): HTMLElement {
  // Checked for being an object, and no further.
  const { content, structuredContent, isError, issues }: Partial<CheckedToolResult> = result;
  const blocks: unknown[] = [content ?? []].flat();
  const json = jsonText(structuredContent);
  // A server repeats structured content as text for clients that know no better.
  const isRepeated = (block: unknown): boolean =>
    json !== "" && jsonText(parsed(asText(objectOf(block)["text"]))) === json;
  const own = blocks.filter((block) => !isRepeated(block));
  const shown: Child[] = own.slice(0, MAX_BLOCKS).map(contentView);
  if (own.length > MAX_BLOCKS) shown.push(`${own.length - MAX_BLOCKS} more`);
  if (json !== "") shown.push(facts("Structured content"), viewsIn(viewsOf(structuredContent)));
  if (json !== "" || issues) shown.push(issuesView(issues));
  if (shown.length === 0) shown.push(facts("The tool returned nothing."));
  return box("result", isError === true && h("span", { class: "chip alarm" }, "isError"), ...shown);
}

export function resourceContentsView(contents: ResourceContents): HTMLElement {
  const { uri, mimeType, text, blob } = objectOf(contents);
  if (text === undefined && blob === undefined) return jsonView(contents);
  const [address, type] = [asText(uri), asText(mimeType)];
  const copy = copyButton("Copy", () => asText(text));
  return box(
    "stack",
    box("bar", linkOrText(address, address, hrefTo("resources", address)), facts(type), text !== undefined && copy),
    text === undefined ? mediaView(type, blob, address) : textView(asText(text), type),
  );
}

/** @param block of whatever kind, whatever its server's word */
export function contentView(block: unknown): HTMLElement {
  const members = objectOf(block);
  const { type, text, mimeType, data, resource, uri } = members;
  if (type === "text") return textView(asText(text));
  if (type === "image" || type === "audio") return mediaView(mimeType, data, type);
  // Looked at again there, whatever it is.
  if (type === "resource" && isObject(resource)) return resourceContentsView(resource as JsonObject & ResourceContents);
  if (type !== "resource_link") return jsonView(block);
  const address = asText(uri);
  const { href, title, hint } = entryOf(members, address, hrefTo("resources", address));
  return box("block bar", linkOrText(address, title, href), facts(hint));
}

function textView(text: string, type = ""): HTMLElement {
  const views: View[] = [["Text", () => h("div", { class: "block", tabindex: 0 }, ...cut(text, LONG_TEXT))]];
  const json = parsed(text);
  if (typeof json === "object") views.unshift(...viewsOf(json));
  else if (/markdown/i.test(type) || type === "") {
    const prose = markdown(text);
    // Whether anything in it reads better that way.
    if (type || prose.querySelector(":not(p)")) views.unshift(["Markdown", () => prose]);
  }
  return viewsIn(views);
}

/** The first is shown, the others when they are opened. */
function viewsIn([first, ...others]: readonly View[]): HTMLElement {
  return box(
    "stack",
    first?.[1](),
    ...others.map(([label, make]) => folded(() => [make()], false, h("span", { class: "hint" }, label))),
  );
}

function viewsOf(value: unknown): View[] {
  const views: View[] = [["Tree", () => jsonView(value)]];
  const list = [value, ...Object.values(objectOf(value))].find(isTable);
  if (list !== undefined) views.push(["Table", () => tableView(list)]);
  return views;
}

function issuesView(issues: CheckedToolResult["issues"]): HTMLElement {
  if (!issues?.length) return h("span", { class: "chip" }, issues ? "Matches the output schema" : "Not checked");
  const lines = issues.slice(0, MAX_ISSUES).map(({ path, message }) => h("li", {}, `${path || "/"} ${message}`));
  return box("block failure", h("strong", {}, "Not what the output schema says"), h("ul", {}, ...lines));
}

function facts(said: string): HTMLElement {
  return h("span", { class: "hint" }, said);
}
