/**
 * The way back from an authorization server: it leads the window that signs in to this page, with `state` and `code` or
 * `error` in the query. Such a window hands its address to the page that opened it, goes, and is nothing else meanwhile.
 */
import { announceCallback } from "../../src/client-oauth.ts";

export const redirectUri = new URL("/", location.href).href;

/** Whether this is such a window. Only pages of this origin hear of it. */
export function isCallback(): boolean {
  const query = new URLSearchParams(location.search);
  const isBack = query.has("state") && (query.has("code") || query.has("error"));
  if (isBack) announceCallback();
  return isBack;
}
