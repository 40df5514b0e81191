/** A server that could not be reached: why, as far as a page can tell, and what to change. */
import { McpError } from "../../src/client.ts";
import { button, h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";
import type { Server } from "../server.ts";

const CORS = `It answers, but does not allow this page. Its replies to ${location.origin} need these headers, those to OPTIONS too:`;
const CORS_HEADERS = `Access-Control-Allow-Origin: ${location.origin}
Access-Control-Allow-Methods: POST, GET, DELETE
Access-Control-Allow-Headers: authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, and every mcp-param-…
Access-Control-Expose-Headers: mcp-session-id, www-authenticate, retry-after`;

const ADVICE: Readonly<Record<number, string>> = {
  401: "It wants to know who you are, and says not where to sign in: add an Authorization header under Servers.",
  403: "It refuses this page's origin, or what you may do. Servers protect themselves against DNS rebinding by a list of origins: add this page's.",
  404: "Nothing is at this path. Most servers answer at /mcp.",
  405: "This path takes no POST. Most servers answer at /mcp.",
};

export function failureView(server: Server, error: unknown): HTMLElement {
  const { url } = server.settings;
  const advice = h("div", { class: "result", role: "status" });
  const status = server.wire.exchanges.value.findLast((exchange) => exchange.method === "POST")?.status ?? 0;
  const code = error instanceof McpError ? error.code : "";
  if (location.protocol === "https:" && url.startsWith("http:") && !/^http:\/\/(?:localhost|127\.)/.test(url))
    advice.append(
      h(
        "p",
        {},
        "A page that came over https may not call a server over http. Open this page over http, or serve the server over https.",
      ),
    );
  else if (code === "connection_failed") void probe(url, advice); // Never rejects.
  else if (code === "invalid_response") advice.append(h("p", {}, "What answers there does not speak MCP."));
  else if (ADVICE[status] !== undefined) advice.append(h("p", {}, ADVICE[status]));
  return h(
    "article",
    { class: "tool" },
    h("h2", { tabindex: -1 }, "No connection"),
    h("p", { class: "lead" }, "This page could not talk to ", h("code", {}, url), "."),
    failureBlock(error),
    advice,
    h(
      "div",
      { class: "actions" },
      button("Try again", () => void server.connect(), "primary"),
    ), // Never rejects: it becomes the status.
  );
}

/** A request that needs no permission tells a server that is not there from one that does not allow this page. */
async function probe(url: string, advice: HTMLElement): Promise<void> {
  try {
    await fetch(url, { mode: "no-cors", credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(5_000) });
    advice.append(h("p", {}, CORS), h("pre", { tabindex: 0 }, CORS_HEADERS));
  } catch {
    advice.append(h("p", {}, "Nothing answers at this address. Is the server running, and the address right?"));
  }
}
