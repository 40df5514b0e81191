/**
 * Signing in from a browser page: in a window beside it, or by leaving the page and coming back.
 */
import { McpError } from "../../protocol/errors.ts";
import { parseUrl } from "./endpoint-url.ts";
import type { Interaction } from "./interaction.ts";
import { orAbort } from "../or-abort.ts";

/** Only pages of the same origin hear a channel, so a response cannot come from elsewhere; `state` says whose it is. */
const CHANNEL = "mcp-edge oauth";

export interface PopupOptions {
  /** The page, of this origin, that calls `announceCallback()`. */
  redirectUri: string;
  /**
   * Opens the window, and says whether it could. Default `window.open`.
   *
   * Browsers only open windows shortly after a click. When this one does not open, `whenBlocked` decides.
   */
  open?: (url: string) => boolean;
  /**
   * Called when the window was blocked, with what opens it: call that from a click on a button that you show. Default: the
   * sign-in fails.
   */
  whenBlocked?: (open: () => boolean) => void;
}

/**
 * Signs in in a window beside the page. That the window was closed cannot be told from every authorization server
 * (`Cross-Origin-Opener-Policy` hides it): a sign-in that nobody finishes ends with the request's signal or after `signInTimeoutMs`.
 */
export function popup(options: PopupOptions): Interaction {
  const { redirectUri, open = openWindow, whenBlocked } = options;
  return {
    open: () =>
      Promise.resolve({
        redirectUri,
        async authorize(url, signal) {
          const done = new AbortController();
          const response = heardCallback(url.searchParams.get("state"), AbortSignal.any([signal, done.signal]));
          const show = (): boolean => open(url.href);
          try {
            if (!show()) {
              if (whenBlocked === undefined) {
                throw new McpError("unauthorized", "The browser blocked the window for signing in");
              }
              whenBlocked(show);
            }
            return await response;
          } finally {
            response.catch(() => undefined); // nobody waits for it any more
            done.abort();
          }
        },
      }),
  };
}

/** For the page at `redirectUri`: hands its address over to the page that opened it, and closes the window. */
export function announceCallback(href: string = page().location.href): void {
  const channel = new BroadcastChannel(CHANNEL);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
  channel.postMessage(href);
  channel.close();
  page().close();
}

function heardCallback(state: string | null, signal: AbortSignal): Promise<string> {
  const channel = new BroadcastChannel(CHANNEL);
  const heard = new Promise<string>((resolve) => {
    channel.addEventListener("message", ({ data }: { data: unknown }) => {
      // Other tabs may be signing in as well.
      if (typeof data === "string" && parseUrl(data)?.searchParams.get("state") === state) resolve(data);
    });
  });
  return orAbort(heard, signal).finally(() => channel.close());
}

export interface RedirectOptions {
  /** A page of this application, which calls the provider's `resume(location.href)` when it loads. */
  redirectUri: string;
  /** Default `location.assign`. */
  leave?: (url: string) => void;
}

/**
 * Signs in by leaving the page, with a store that outlives it. Nothing after the request runs in the old page; the new one
 * finds the provider signed in once `resume` has run.
 */
export function redirect({ redirectUri, leave = leavePage }: RedirectOptions): Interaction {
  return {
    open: () =>
      Promise.resolve({
        redirectUri,
        leaves: true,
        authorize(url) {
          leave(url.href);
          return new Promise<string>(() => undefined); // the page ends, or the signal does
        },
      }),
  };
}

/** As much of `window` as is needed: the types of a Worker and of Node know none. */
interface Page {
  readonly location: { readonly href: string; assign(url: string): void };
  open(url: string, target: string, features: string): { opener: unknown; location: { href: string } } | null;
  close(): void;
}

function page(): Page {
  return globalThis as unknown as Page; // called in browsers only, where it is one
}

function openWindow(url: string): boolean {
  const opened = page().open("about:blank", "_blank", "popup,width=520,height=720");
  if (opened === null) return false;
  // Else the authorization server could lead this page elsewhere. `noopener` would hide whether the window was blocked.
  opened.opener = null;
  opened.location.href = url;
  return true;
}

function leavePage(url: string): void {
  page().location.assign(url);
}
