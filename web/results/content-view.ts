/**
 * What tools return, prompts say and resources hold, as elements.
 *
 * Contract: types are a server's claim. Whatever comes is shown, as JSON if it is nothing else, and nothing is fetched.
 */
import type { CheckedToolResult, ContentBlock, ResourceContents } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { JsonObject } from "../../src/protocol/types.ts";
import { asText, type Child, copyButton, h, iconUri, jsonText, linkOrText } from "../dom.ts";
import { hrefTo } from "../route.ts";
import { cut } from "./cut.ts";
import { jsonView } from "./json-view.ts";
import { looksLikeMarkdown } from "./markdown.ts";
import { markdown } from "./markdown-view.ts";
import { mediaView, sizeText } from "./media-view.ts";
import { switcher, type View } from "./switcher.ts";
import { isTable, tableView } from "./table-view.ts";

const LONG_TEXT = 100_000;
const MAX_BLOCKS = 200;
const MAX_ISSUES = 50;

export function resultView(result: CheckedToolResult): HTMLElement {
  // Checked for being an object, and no further.
  const { content, structuredContent, isError, issues }: Partial<CheckedToolResult> = result;
  const blocks: unknown[] = Array.isArray(content) ? content : content === undefined ? [] : [content];
  const structured = structuredContent === undefined ? undefined : jsonText(structuredContent);
  // A server repeats structured content as text for clients that know no better.
  const own = blocks.filter((block) => structured === undefined || !isSame(block, structured));
  const shown = own.slice(0, MAX_BLOCKS).map((block) => blockView(block, isError === true));
  if (own.length > MAX_BLOCKS) shown.push(hint(`${own.length - MAX_BLOCKS} more blocks are on the wire.`));
  if (structured !== undefined) {
    const repeated = own.length < blocks.length ? chip("also sent as text") : undefined;
    const heading = h("div", { class: "bar" }, h("h4", {}, "Structured content"), repeated);
    shown.push(h("div", { class: "stack" }, heading, switcher(viewsOf(structuredContent)), issuesView(issues)));
  } else if (issues !== undefined) shown.push(issuesView(issues));
  if (isError === true) shown.unshift(h("p", { class: "chip alarm" }, "isError"));
  if (shown.length === 0)
    shown.push(h("p", { class: "empty" }, "The tool returned nothing, which may be all it has to say."));
  return h("div", { class: "result" }, ...shown);
}

export function contentView(block: ContentBlock): HTMLElement {
  return blockView(block, false);
}

export function resourceContentsView(contents: ResourceContents): HTMLElement {
  if (!isObject(contents)) return jsonView(contents);
  const { uri, mimeType, text, blob } = contents as JsonObject;
  const address = asText(uri);
  if (typeof text !== "string" && blob === undefined) return jsonView(contents);
  const head: Child[] = [linkTo(address), mimeType === undefined ? undefined : chip(asText(mimeType))];
  if (typeof text === "string")
    head.push(
      `${text.length} characters`,
      copyButton("Copy", () => text),
    );
  const body = typeof text === "string" ? textView(text, asText(mimeType), false) : mediaView(mimeType, blob, address);
  return h("div", { class: "stack" }, h("div", { class: "bar" }, ...head), body);
}

function blockView(block: unknown, failed: boolean): HTMLElement {
  if (!isObject(block)) return jsonView(block);
  const chips = annotationsOf(block["annotations"]);
  const view = bareView(block, failed);
  return chips.length === 0
    ? view
    : h("div", { class: "stack" }, view, h("div", { class: "chips" }, ...chips.map(chip)));
}

function bareView(block: JsonObject, failed: boolean): HTMLElement {
  const { type, text, mimeType, data, resource } = block;
  if (type === "text") return textView(asText(text), "", failed);
  if (type === "image" || type === "audio") return mediaView(mimeType, data, type);
  if (type === "resource_link") return linkView(block);
  // Looked at again there, whatever it is.
  if (type === "resource" && isObject(resource)) return resourceContentsView(resource as JsonObject & ResourceContents);
  return jsonView(block);
}

function textView(text: string, type: string, failed: boolean): HTMLElement {
  const plain: View = [
    "Text",
    () => h("div", { class: failed ? "block failure" : "block", tabindex: 0 }, ...cut(text, LONG_TEXT)),
  ];
  const json = /^\s*[[{]/.test(text) || /\bjson$/i.test(type) ? parsed(text) : undefined;
  const views = [plain];
  if (json !== undefined) views.unshift(["Tree", () => jsonView(json)]);
  else if (text.length <= LONG_TEXT && (/markdown/i.test(type) || (type === "" && looksLikeMarkdown(text)))) {
    views.unshift(["Markdown", () => markdown(text)]);
  }
  // A failure is read as it was written.
  return switcher(failed ? views.toReversed() : views);
}

function linkView({ uri, name, title, description, mimeType, size, icons }: JsonObject): HTMLElement {
  const icon = iconUri(icons);
  return h(
    "div",
    { class: "block bar link" },
    icon === undefined ? undefined : h("img", { src: icon, alt: "", width: 20, height: 20 }),
    h("strong", {}, asText(title ?? name)),
    linkTo(asText(uri)),
    mimeType === undefined ? undefined : chip(asText(mimeType)),
    typeof size === "number" ? sizeText(size) : undefined,
    description === undefined ? undefined : hint(asText(description)),
  );
}

/** Addresses of the web open there, all others in the section for resources. */
function linkTo(uri: string): HTMLElement {
  return linkOrText(uri, uri, hrefTo("resources", uri));
}

function annotationsOf(annotations: unknown): string[] {
  if (!isObject(annotations)) return [];
  const { audience, priority, lastModified } = annotations;
  const known = { for: audience, priority, modified: lastModified };
  return Object.entries(known).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} ${[value].flat().map(asText).join(", ")}`,
  );
}

function viewsOf(value: unknown): View[] {
  const views: View[] = [
    ["Tree", () => jsonView(value)],
    ["JSON", () => h("pre", { tabindex: 0 }, ...cut(jsonText(value, 2), LONG_TEXT))],
  ];
  const list = [value, ...(isObject(value) ? Object.values(value) : [])].find(isTable);
  if (list === undefined) return views;
  const table: View = ["Table", () => tableView(list)];
  return list === value ? [table, ...views] : [...views, table];
}

type Issues = CheckedToolResult["issues"];

function issuesView(issues: Issues): HTMLElement {
  if (issues === undefined) return hint("Not checked: no output schema is known.");
  if (issues.length === 0) return h("p", { class: "chip calm" }, "matches the output schema");
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => h("li", {}, h("code", {}, path || "/"), " ", message));
  return h(
    "div",
    { class: "block failure" },
    h("strong", {}, "Not what the output schema says"),
    h("ul", {}, ...lines),
  );
}

/** Whether a block is the same JSON as text. */
function isSame(block: unknown, json: string): boolean {
  return isObject(block) && typeof block["text"] === "string" && jsonText(parsed(block["text"])) === json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function chip(text: string): HTMLElement {
  return h("span", { class: "chip" }, text);
}

function hint(text: string): HTMLElement {
  return h("span", { class: "hint" }, text);
}
