/**
 * Which URLs an OAuth client may ask. All of them come from peers: a header, a metadata document.
 *
 * @see spec 2026-07-28 basic/authorization/security-considerations#communication-security
 */
import { clip, McpError } from "../../protocol/errors.ts";

/** Turns a peer's text into a URL fit to be asked, or throws. `what` names it in the error. */
export type UrlGuard = (text: unknown, what: string) => URL;

const LOOPBACK = /^(?:(?:.*\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** What the URL parser takes for an IP address. */
const ADDRESS = /\.\d+$|\]$/;
/**
 * IP literals that lead into somebody's own network: 0/8, 10/8, 100.64/10, 169.254/16, 172.16/12, 192.0.0/24, 192.168/16, and of
 * IPv6 whatever is not global unicast (2000::/3) or may be IPv4 in disguise there (Teredo, 6to4).
 */
const PRIVATE =
  /^(?:(?:0|10|127)\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.(?:0\.0|168)\.|\[(?:(?![23][\da-f]{3}:)|2001:0?:|2002:))/;

/** `URL.parse`, which Node 20 does not have. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

/** MUST: `https:`, and `http:` only for loopback. */
export const secureUrl: UrlGuard = (text, what) => {
  const url = typeof text === "string" ? parseUrl(text) : undefined;
  if (url === undefined) throw new McpError("invalid_response", `${what} is not a URL`);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url))) {
    throw new McpError("insecure_url", `${what} must use https: ${clip(url.origin)}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new McpError("insecure_url", `${what} must not hold credentials`);
  }
  return url;
};

/**
 * Our choice: a server on the public Internet cannot send its clients to addresses inside their own network. The URL parser
 * has already turned decimal, hexadecimal and octal spellings of addresses into dotted ones.
 */
export function guardFor(server: URL): UrlGuard {
  if (isInside(server)) return secureUrl;
  return (text, what) => {
    const url = secureUrl(text, what);
    if (isInside(url)) throw new McpError("insecure_url", `${what} leads into a private network: ${clip(url.host)}`);
    return url;
  };
}

function isInside(url: URL): boolean {
  return isLoopback(url) || (ADDRESS.test(url.hostname) && PRIVATE.test(url.hostname));
}

/** The server's URI as RFC 8707 wants it: lower-case scheme and host, no fragment, no slash where there is no path. */
export function canonicalResource(server: URL): string {
  return `${server.origin}${server.pathname === "/" ? "" : server.pathname}${server.search}`;
}

/** Whether a resource identifier stands for this server: the same origin, and its path or one above it. */
export function coversServer(resource: URL, server: URL): boolean {
  if (resource.origin !== server.origin || resource.hash !== "") return false;
  if (resource.search !== "" && resource.search !== server.search) return false;
  const base = resource.pathname.replace(/\/$/, "");
  return server.pathname === base || server.pathname.startsWith(`${base}/`);
}
