/** A server that could not be reached: why, as far as a page can tell, and what to change. */
import { type McpError, ProtocolError } from "../../src/client.ts";
import { asText, box, button, h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server } from "../server.ts";
import { urlFault } from "./url-fault.ts";

/** `*` never stands for `Authorization`. */
const CORS_HEADERS = `Access-Control-Allow-Origin: ${location.origin}
Access-Control-Allow-Methods: *
Access-Control-Allow-Headers: *, Authorization
Access-Control-Expose-Headers: *`;
const FORBIDDEN = `Let the server allow the origin ${location.origin}.`;
const ELSEWHERE = "Most servers answer at /mcp. HTTP+SSE (/sse) is not spoken here.";

/** By the code of the error, or the status where that is all there is. */
const ADVICE: Readonly<Record<string, string>> = {
  discovery_failed: "Add an Authorization header under Servers.",
  forbidden: FORBIDDEN,
  404: ELSEWHERE,
  405: ELSEWHERE,
  invalid_response: "This is no MCP server.",
  redirect_refused: "Enter the address that it leads to.",
};

export function failureView(server: Server, error: unknown): HTMLElement {
  const { url } = server.settings;
  const { code, cause, message } = error as Partial<McpError>;
  // By a server that was reached. How it refuses an origin is up to it; many do so in JSON-RPC.
  const { status, data } = Object(cause) as { status?: unknown; data?: unknown };
  const fault = urlFault(url);
  const advice = h("div", { class: "result", role: "status" }, fault);
  if (data !== undefined) advice.append(jsonView(data));
  else if (error instanceof ProtocolError && /origin|host/i.test(asText(message))) advice.append(FORBIDDEN);
  else if (code !== "connection_failed") advice.append(ADVICE[asText(code)] ?? ADVICE[asText(status)] ?? "");
  else if (fault === "") void probe(url, advice); // Never rejects.
  return h(
    "article",
    { class: "tool" },
    h("h2", { tabindex: -1 }, "No connection"),
    failureBlock(error),
    advice,
    box(
      "actions",
      button("Try again", () => void server.connect(), "primary"), // Never rejects: it becomes the status.
    ),
  );
}

/** A request that needs no permission tells a server that is not there from one that does not allow this page. */
async function probe(url: string, advice: HTMLElement): Promise<void> {
  try {
    await fetch(url, { mode: "no-cors" });
    advice.append("It answers, but not this page. All its responses need:", h("pre", { tabindex: 0 }, CORS_HEADERS));
  } catch {
    advice.append("Nothing answers there. Does it run, and may this page use your local network?");
  }
}
