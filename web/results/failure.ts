/**
 * What went wrong, and what to do about it: by the code of the error, with the words of whoever said it.
 */
import { asText, box, h } from "../dom.ts";
import { cut } from "./cut.ts";
import { jsonView } from "./json-view.ts";

const LONG_MESSAGE = 4_000;
/**
 * What the message may leave out: docs/client.md, "Errors"; spec 2026-07-28 basic/index#error-codes, and two codes of older
 * revisions.
 */
const ADVICE: Readonly<Record<string, string>> = {
  "-32700": "Parse error",
  "-32600": "Invalid request",
  "-32601": "Method not found",
  "-32602": "Invalid params",
  "-32603": "Internal error",
  "-32020": "Header mismatch: reload, or look for a proxy",
  "-32021": "Missing client capability",
  "-32022": "Unsupported protocol version",
  "-32002": "Resource not found",
  "-32042": "Visit the address, then call again",
  aborted: "What was done by then stays done.",
  connection_failed: "The server is down, or does not allow this page (CORS).",
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
  const isWanted = code === "aborted";
  return box(
    isWanted ? "block" : "block failure",
    h("strong", {}, isWanted ? "Cancelled" : typeof code === "number" ? `Error ${name}` : name.replaceAll("_", " ")),
    ...[...new Set(isWanted ? [] : [message, reason])].map((said) => h("p", {}, ...cut(asText(said), LONG_MESSAGE))),
    h("p", { class: "hint" }, ADVICE[name]),
    data !== undefined && jsonView(data),
  );
}
