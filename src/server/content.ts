/**
 * Content blocks: made from bytes, and told from other values.
 *
 * @see spec 2026-07-28 server/tools#tool-result
 */
import { encodeBase64 } from "../protocol/base64.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type { AudioContent, ContentBlock, ImageContent, JsonObject, ResourceContents } from "../protocol/types.ts";

/** An image block. Large images are better linked to as a resource: Base64 adds a third. */
export function image(data: Uint8Array, mimeType: string): ImageContent {
  return { type: "image", data: encodeBase64(data), mimeType };
}

export function audio(data: Uint8Array, mimeType: string): AudioContent {
  return { type: "audio", data: encodeBase64(data), mimeType };
}

const isMedia = ({ data, mimeType }: JsonObject): boolean => typeof data === "string" && typeof mimeType === "string";

/** Whether a block of each type has what it must have. */
const BLOCKS: ReadonlyMap<unknown, (block: JsonObject) => boolean> = new Map([
  ["text", ({ text }: JsonObject) => typeof text === "string"],
  ["image", isMedia],
  ["audio", isMedia],
  ["resource_link", ({ uri, name }: JsonObject) => typeof uri === "string" && typeof name === "string"],
  ["resource", ({ resource }: JsonObject) => isContents(resource)],
]);

/** Whether this means to be a content block. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isObject(value) && BLOCKS.has(value["type"]);
}

/** Whether it is one. */
export function isSoundBlock(value: unknown): value is ContentBlock {
  return isObject(value) && BLOCKS.get(value["type"])?.(value) === true;
}

export function isContents(value: unknown): value is ResourceContents {
  if (!isObject(value)) return false;
  const { uri, text, blob, mimeType = "" } = value;
  return (
    typeof uri === "string" && typeof mimeType === "string" && (typeof text === "string" || typeof blob === "string")
  );
}
