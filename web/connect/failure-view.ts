/** A server that could not be reached: why, as far as a page can tell, and what to change. */
import { McpError, ProtocolError } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText, button, type Child, h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server } from "../server.ts";
import { urlFault } from "./url-fault.ts";

const CORS = `It answers, but does not allow this page. Its replies to ${location.origin} need these headers, those to OPTIONS too:`;
const CORS_HEADERS = `Access-Control-Allow-Origin: ${location.origin}
Access-Control-Allow-Methods: POST, GET, DELETE
Access-Control-Allow-Headers: authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, and every mcp-param-…
Access-Control-Expose-Headers: mcp-session-id, www-authenticate, retry-after`;

/** By the code of the error, or the status where that is all there is. */
const ADVICE: Readonly<Record<string, string>> = {
  discovery_failed: "This page cannot sign in there: add an Authorization header under Servers.",
  forbidden: "It refuses this page's origin, or what you may do. Add the origin to those that it allows.",
  404: "Nothing is at this path. Most servers answer at /mcp.",
  405: "This path takes no POST. Most servers answer at /mcp.",
  invalid_response: "What answers there does not speak MCP.",
  redirect_refused: "Browsers hide where it leads: enter that address instead.",
};

export function failureView(server: Server, error: unknown): HTMLElement {
  const { url } = server.settings;
  const advice = h("div", { class: "result", role: "status" }, ...adviceOn(error));
  const fault = urlFault(url);
  if (fault !== "") advice.replaceChildren(h("p", {}, fault));
  else if (error instanceof McpError && error.code === "connection_failed") void probe(url, advice); // Never rejects.
  return h(
    "article",
    { class: "tool" },
    h("h2", { tabindex: -1 }, "No connection"),
    h("code", {}, url),
    failureBlock(error),
    advice,
    h(
      "div",
      { class: "actions" },
      button("Try again", () => void server.connect(), "primary"),
    ), // Never rejects: it becomes the status.
  );
}

function adviceOn(error: unknown): Child[] {
  // How servers refuse an origin is up to them; many do so in JSON-RPC.
  if (error instanceof ProtocolError) return /origin|host/i.test(error.message) ? [ADVICE["forbidden"]] : [];
  if (!(error instanceof McpError)) return [];
  const { code, cause } = error;
  if (cause instanceof ProtocolError) return cause.data === undefined ? [] : [jsonView(cause.data)];
  return [ADVICE[code] ?? ADVICE[asText(isObject(cause) ? cause["status"] : "")]];
}

/** A request that needs no permission tells a server that is not there from one that does not allow this page. */
async function probe(url: string, advice: HTMLElement): Promise<void> {
  try {
    await fetch(url, { mode: "no-cors", credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(5_000) });
    advice.append(h("p", {}, CORS), h("pre", { tabindex: 0 }, CORS_HEADERS));
  } catch {
    advice.append("Nothing answers at this address. Does the server run, and may this page use your local network?");
  }
}
