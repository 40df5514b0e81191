/**
 * Which icons of a server are fit to be shown. A host puts them into pages, where a `javascript:` URI would be a script.
 *
 * @see spec 2026-07-28 basic/index#icons
 */
import { isObject } from "../protocol/json-rpc.ts";
import type { JsonObject } from "../protocol/types.ts";

/** MUST — basic/index#icons: HTTPS or `data:` and nothing else. Of data, our choice, images only. */
const SAFE = /^(?:https:\/\/|data:image\/)/i;

/** A copy without unsafe icons, or the same object where it has none of these. */
export function withSafeIcons<T extends object>(item: T): T {
  const { icons, ...rest } = item as T & { icons?: unknown }; // Whatever a server sent.
  if (icons === undefined) return item;
  const list: unknown[] = Array.isArray(icons) ? icons : [];
  const safe = list.filter((icon): icon is JsonObject => isObject(icon) && isSafe(icon["src"]));
  if (safe.length === list.length && list === icons) return item;
  return (safe.length === 0 ? rest : { ...rest, icons: safe }) as T; // T allows for icons to be absent or fewer.
}

/** The same for whatever a result lists: things, links to them, and messages with such a link. */
export function withSafeLinks(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { content } = item;
  return withSafeIcons(isObject(content) ? { ...item, content: withSafeIcons(content) } : item);
}

function isSafe(src: unknown): boolean {
  return typeof src === "string" && SAFE.test(src);
}
