/**
 * Why this page cannot call an address, whatever answers there. Empty when it can.
 *
 * Over `http:` it is what `connect-src` in `_headers` allows, which has no way to name `[::1]`. A page that came over
 * `https:` could call no more than that in any case.
 */
export function urlFault(url: string): string {
  const { protocol, hostname, origin, username, password } = new URL(url);
  if (!/^https?:$/.test(protocol)) return "The URL has to begin with https: or http:.";
  if (username + password !== "") return "A URL is no place for a name and a password: use a header.";
  const isNear = origin === location.origin || /^(?:localhost|127\.0\.0\.1)$/.test(hostname);
  return protocol === "https:" || isNear
    ? ""
    : "The browser lets this page call servers over http: at localhost and 127.0.0.1 only. Serve this one over https:.";
}
