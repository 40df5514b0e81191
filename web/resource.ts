/**
 * A resource as `resources/list` describes it, read with care.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import { iconUri } from "./dom.ts";

export interface Resource {
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string | undefined;
}

/** Undefined for an entry without a URI. */
export function parseResource(entry: unknown): Resource | undefined {
  if (!isObject(entry) || typeof entry["uri"] !== "string" || entry["uri"] === "") return undefined;
  const { uri, title, name, description, icons } = entry;
  const shown = [title, name].find((text) => typeof text === "string" && text !== "");
  return {
    uri,
    title: typeof shown === "string" ? shown : uri,
    description: typeof description === "string" ? description : "",
    icon: iconUri(icons),
  };
}

const PREFIX = "#/resources/";

/** A tool's name is encoded in the fragment, so none of them looks like this. */
export function fragmentOf(uri: string): string {
  return PREFIX + encodeURIComponent(uri);
}

/** Undefined when it is not the fragment of a resource. */
export function uriInFragment(fragment: string): string | undefined {
  if (!fragment.startsWith(PREFIX)) return undefined;
  try {
    return decodeURIComponent(fragment.slice(PREFIX.length)) || undefined;
  } catch {
    return undefined; // Somebody typed a stray percent sign.
  }
}
