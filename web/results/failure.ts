/**
 * What went wrong, and what to do about it: by the code of the error, with the words of whoever said it.
 */
import { asText, box, h } from "../dom.ts";
import { cut } from "./cut.ts";
import { jsonView } from "./json-view.ts";

const LONG_MESSAGE = 4_000;
const LOOK_FIRST = "It may have been served all the same.";

/**
 * docs/client.md, "Errors"; spec 2026-07-28 basic/index#error-codes, and two codes of older revisions. The client's own errors
 * say themselves what happened; they are here when there is more to know.
 */
const ADVICE: Readonly<Record<string, string>> = {
  "-32700": "Parse error",
  "-32600": "Invalid request",
  "-32601": "Method not found",
  "-32602": "Invalid params: correct the name or the arguments",
  "-32603": "Internal error of the server",
  "-32020": "Header mismatch: reload, or look for a proxy that changes headers",
  "-32021": "Missing client capability",
  "-32022": "Unsupported protocol version",
  "-32002": "Resource not found",
  "-32042": "Visit the address below, then call again",
  aborted: "What the server had done by then stays done.",
  timeout: LOOK_FIRST,
  stream_ended: LOOK_FIRST,
  connection_failed: `The server is down, or does not allow this page (CORS). ${LOOK_FIRST}`,
  unauthorized: "Sign in, or correct the token.",
};

interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly data?: unknown;
}

export function failureBlock(error: unknown): HTMLElement {
  // What is thrown may be anything, and has such members or none.
  const { code = "failed", message = error, cause, data } = Object(error) as Failure;
  const { message: reason } = Object(cause) as Failure;
  const name = asText(code);
  return box(
    code === "aborted" ? "block note" : "block failure",
    h(
      "strong",
      {},
      typeof code === "number" ? `Error ${name}` : name.replaceAll("_", " ").replace("aborted", "Cancelled"),
    ),
    ...[...new Set(code === "aborted" ? [] : [message, reason])].map((said) =>
      h("p", {}, ...cut(asText(said), LONG_MESSAGE)),
    ),
    h("p", { class: "hint" }, ADVICE[name]),
    data !== undefined && jsonView(data),
  );
}
