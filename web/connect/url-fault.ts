/**
 * Why this page cannot call an address, whatever answers there. Empty when it can.
 *
 * It is what `connect-src` in `_headers` allows, which over `http:` has no way to name `[::1]`, and is all that a page that
 * came over `https:` could call in any case (mixed content).
 */
const CALLABLE = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])/;

/** @param url an absolute one, as `URL` writes it */
export function urlFault(url: string): string {
  const { origin, username, password } = new URL(url);
  return (CALLABLE.test(url) || origin === location.origin) && username + password === ""
    ? ""
    : "Pages may call https: only, or http: at localhost and 127.0.0.1, and no URL that has a password.";
}
