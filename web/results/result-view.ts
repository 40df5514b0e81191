/**
 * A tool's result, or what came instead of one, as elements. Nothing from the server is trusted to be more than text,
 * but images by their type and links by their scheme.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { asText, type Child, h, iconUri, imageUri, linkOrText } from "./dom.ts";
import type { Outcome } from "./exchange.ts";
import { jsonView } from "./json-view.ts";

const ERROR_NAMES: ReadonlyMap<number, string> = new Map([
  [-32700, "Parse error"],
  [-32600, "Invalid request"],
  [-32601, "Method not found"],
  [-32602, "Invalid params"],
  [-32603, "Internal error"],
  [-32020, "Header mismatch"],
  [-32021, "Missing client capability"],
  [-32022, "Unsupported protocol version"],
]);

export interface Verdict {
  readonly tone: "ok" | "warn" | "bad";
  readonly label: string;
}

export function verdictOf(outcome: Outcome): Verdict {
  if (outcome.kind === "cancelled") return { tone: "warn", label: "Cancelled" };
  if (outcome.kind === "error") return { tone: "bad", label: `Error ${outcome.code}` };
  if (outcome.kind === "refused") return { tone: "bad", label: `HTTP ${outcome.status}` };
  if (outcome.kind === "broken") return { tone: "bad", label: "No answer" };
  return outcome.result["isError"] === true ? { tone: "bad", label: "Tool error" } : { tone: "ok", label: "Done" };
}

/** The address at which this page shows a resource; undefined when it shows none. */
export type HrefOf = (uri: string) => string | undefined;

export function outcomeView(outcome: Outcome, hrefOf: HrefOf = () => undefined): HTMLElement[] {
  if (outcome.kind === "result") return resultView(outcome.result, hrefOf);
  if (outcome.kind === "error") {
    const name = ERROR_NAMES.get(outcome.code) ?? "Error of the server's own";
    const line = h("p", { class: "block failure" }, h("strong", {}, `${name}. `), outcome.message);
    return outcome.data === undefined ? [line] : [line, jsonView(outcome.data)];
  }
  if (outcome.kind === "cancelled") {
    return [h("p", { class: "empty" }, "You cancelled this call. What the server had done by then stays done.")];
  }
  return [h("p", { class: "block failure" }, reasonOf(outcome))];
}

/** Why there is no result, in one sentence. */
export function reasonOf(outcome: Exclude<Outcome, { kind: "result" }>): string {
  if (outcome.kind === "broken") return `Nothing that can be shown came back: ${outcome.reason}.`;
  if (outcome.kind === "cancelled") return "It was cancelled.";
  const reason = outcome.kind === "error" ? outcome.message : outcome.text;
  return reason || "The server gave no reason.";
}

function resultView({ content, structuredContent, isError }: JsonObject, hrefOf: HrefOf): HTMLElement[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  const shown = blocks
    // A server repeats structured content as text for clients that know no better.
    .filter((block) => !(structured !== undefined && isObject(block) && sameJson(block["text"], structured)))
    .map((block) => (isObject(block) ? blockView(block, isError === true, hrefOf) : jsonView(block)));
  if (structuredContent !== undefined) shown.push(jsonView(structuredContent));
  return shown.length > 0
    ? shown
    : [h("p", { class: "empty" }, "The tool returned nothing, which may be all it has to say.")];
}

function blockView(block: JsonObject, failed: boolean, hrefOf: HrefOf): HTMLElement {
  switch (block["type"]) {
    case "text":
      return h("div", { class: failed ? "block failure" : "block", tabindex: 0 }, asText(block["text"]));
    case "image":
      return imageView(block);
    case "audio":
      return h(
        "p",
        { class: "block note" },
        `Audio of the type ${asText(block["mimeType"])}, ${sizeOf(block["data"])}`,
      );
    case "resource_link":
      return linkView(block, hrefOf);
    case "resource":
      return isObject(block["resource"]) ? resourceView(block["resource"]) : jsonView(block);
    default:
      return jsonView(block);
  }
}

function imageView({ mimeType, data }: JsonObject): HTMLElement {
  const uri = imageUri(mimeType, data);
  if (uri === undefined)
    return h("p", { class: "block note" }, `An image of the type ${asText(mimeType)}, which this page does not show`);
  const caption = h("figcaption", {}, `${asText(mimeType)}, ${sizeOf(data)}`);
  return h("figure", {}, h("img", { src: uri, alt: "Image returned by the tool" }), caption);
}

function linkView({ uri, name, title, description, mimeType, icons }: JsonObject, hrefOf: HrefOf): HTMLElement {
  const icon = iconUri(icons);
  const address = asText(uri);
  const label = asText(title ?? name ?? uri);
  const details: Child[] = [typeof description === "string" ? h("span", { class: "hint" }, description) : undefined];
  return h(
    "p",
    { class: "link" },
    icon === undefined ? undefined : h("img", { src: icon, alt: "", width: 20, height: 20 }),
    h("span", { class: "title" }, label),
    linkOrText(address, address, hrefOf(address)),
    typeof mimeType === "string" ? h("span", { class: "chip" }, mimeType) : undefined,
    ...details,
  );
}

/** @param textView how its text is shown: by default, as it is */
export function resourceView(
  { uri, mimeType, text, blob }: JsonObject,
  textView: (text: string) => Child[] = (text) => [text],
): HTMLElement {
  const picture = imageUri(mimeType, blob);
  return h(
    "figure",
    {},
    picture === undefined ? undefined : h("img", { src: picture, alt: "Picture in the resource" }),
    typeof text === "string" ? h("div", { class: "block", tabindex: 0 }, ...textView(text)) : undefined,
    h(
      "figcaption",
      {},
      uri === undefined ? undefined : linkOrText(asText(uri), asText(uri)),
      ` ${asText(mimeType)} ${blob === undefined ? "" : sizeOf(blob)}`,
    ),
  );
}

/** The size of what Base64 stands for. */
function sizeOf(base64: unknown): string {
  const bytes = typeof base64 === "string" ? Math.floor(base64.replace(/=+$/, "").length * 0.75) : 0;
  return bytes < 1_024 ? `${bytes} bytes` : `${(bytes / 1_024).toFixed(bytes < 10_240 ? 1 : 0)} KB`;
}

function sameJson(text: unknown, json: string): boolean {
  if (typeof text !== "string") return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
