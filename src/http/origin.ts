/**
 * Who may call from a browser: the Origin and Host checks, and the CORS answers that go with them. Pure.
 *
 * @see spec 2026-07-28 basic/transports/streamable-http#security-endpoint
 */

/**
 * Exact origins such as `https://app.example`, `"loopback"` for pages served from this machine on any port, or `"*"` for
 * every page in the world. A page of the endpoint's own origin is always allowed.
 */
export type AllowedOrigins = readonly string[];
/** Host names (without port) this server answers to, or `"loopback"`; undefined checks nothing. */
export type AllowedHosts = readonly string[] | "loopback" | undefined;

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** `Origin` of a request that is not from a browser page is absent, and absent is fine. */
export function isAllowedOrigin(origin: string | null, requestUrl: string, allowed: AllowedOrigins): boolean {
  if (origin === null) return true;
  // The word for a group of origins is not an origin itself.
  if (allowed.includes("*") || (origin !== "loopback" && allowed.includes(origin))) return true;
  if (!URL.canParse(origin)) return false; // "null", from sandboxed frames and files, is a stranger.
  const { host, hostname, protocol } = new URL(origin);
  const own = new URL(requestUrl);
  // Behind a proxy that ends TLS our own URL says http where the browser sees https. Never the other way about.
  if (host === own.host && (protocol === own.protocol || protocol === "https:")) return true;
  return allowed.includes("loopback") && LOOPBACK_HOSTS.has(hostname) && /^https?:$/.test(protocol);
}

/**
 * Against DNS rebinding: a page of `evil.example` that was re-pointed at 127.0.0.1 is same-origin to itself, and only
 * the Host gives it away.
 */
export function isAllowedHost(requestUrl: string, allowed: AllowedHosts): boolean {
  if (allowed === undefined) return true;
  const { hostname } = new URL(requestUrl);
  return allowed === "loopback" ? LOOPBACK_HOSTS.has(hostname) : allowed.includes(hostname);
}

/** Request headers a page may send beyond the safelisted ones. */
const ALLOWED_HEADER =
  /^(?:accept|authorization|content-type|dpop|mcp-(?:protocol-version|method|name)|mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+|traceparent|tracestate|baggage)$/;
/** Browsers cap this at two hours or less; more would only delay a change of policy. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200;

export function isPreflight(method: string, headers: Headers): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
}

/** Headers of the answer to a preflight from an allowed origin. Only what was asked for is echoed. */
export function preflightHeaders(origin: string, requestedHeaders: string | null): Record<string, string> {
  const allowed = (requestedHeaders ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => ALLOWED_HEADER.test(name));
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "POST",
    ...(allowed.length > 0 && { "access-control-allow-headers": allowed.join(", ") }),
    "access-control-max-age": String(PREFLIGHT_MAX_AGE_SECONDS),
    vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  };
}

/** Headers for every other answer to an allowed origin. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    // A page needs the first to sign in and the second to back off.
    "access-control-expose-headers": "WWW-Authenticate, Retry-After",
    vary: "Origin",
  };
}
