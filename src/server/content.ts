/**
 * Content blocks from bytes.
 *
 * @see spec 2026-07-28 server/tools#tool-result
 */
import { encodeBase64 } from "../protocol/base64.ts";
import type { AudioContent, ImageContent } from "../protocol/types.ts";

/** An image block. Large images are better linked to as a resource: Base64 adds a third. */
export function image(data: Uint8Array, mimeType: string): ImageContent {
  return { type: "image", data: encodeBase64(data), mimeType };
}

export function audio(data: Uint8Array, mimeType: string): AudioContent {
  return { type: "audio", data: encodeBase64(data), mimeType };
}
