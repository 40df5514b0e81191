/**
 * What went wrong, what it means, and what to do about it: by the code of the error, with the words of whoever said it.
 */
import { McpError, ProtocolError } from "../../src/client.ts";
import { asText, h } from "../dom.ts";
import { cut } from "./cut.ts";
import { jsonView } from "./json-view.ts";

const LONG_MESSAGE = 4_000;
const LOOK_FIRST = "It may have been served all the same: look before you call again.";
const ITS_FAULT = "The fault is the server's.";

/** docs/client.md, "Errors"; spec 2026-07-28 basic/index#error-codes, and two codes of older revisions. */
const ADVICE: Readonly<Record<string, string>> = {
  "-32700": "Parse error: the server could not read the message.",
  "-32600": "Invalid request: not a message that the server takes.",
  "-32601": "Method not found: the server does not offer this.",
  "-32602": "Invalid params: correct the name or the arguments.",
  "-32603": `Internal error. ${ITS_FAULT}`,
  "-32020": "Header mismatch: reload the list, or look for a proxy that changes headers.",
  "-32021": "Missing client capability: this page does not declare it.",
  "-32022": "Unsupported protocol version.",
  "-32002": "Resource not found: reload the list.",
  "-32042": "A page has to be visited: open the address below, then call again.",
  timeout: LOOK_FIRST,
  stream_ended: LOOK_FIRST,
  connection_failed: `The server is down, or does not allow this page (CORS). ${LOOK_FIRST}`,
  aborted: "What the server had done by then stays done.",
  http_error: "Correct the address, or look for a proxy that answers.",
  unauthorized: "Sign in, or correct the token.",
  forbidden: "The token lacks a right, or the server refuses this page's origin.",
  invalid_response: ITS_FAULT,
  list_loop: ITS_FAULT,
  too_large: "Ask for less.",
};

export function failureBlock(error: unknown): HTMLElement {
  const { code, message, cause, data } = told(error);
  const calm = code === "aborted";
  const advice = ADVICE[code.replace("Error ", "")];
  return h(
    "div",
    { class: calm ? "block note" : "block failure" },
    h("strong", {}, calm ? "Cancelled" : code.replaceAll("_", " ")),
    calm || message === "" ? undefined : line(message),
    cause instanceof Error && cause.message !== message ? line(cause.message) : undefined,
    advice === undefined ? undefined : h("p", { class: "hint" }, advice),
    data === undefined ? undefined : jsonView(data),
  );
}

function line(text: string): HTMLElement {
  return h("p", {}, ...cut(text, LONG_MESSAGE));
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly cause?: unknown;
  readonly data?: unknown;
}

function told(error: unknown): Told {
  if (error instanceof ProtocolError) {
    return { code: `Error ${error.code}`, message: asText(error.message), data: error.data };
  }
  if (!(error instanceof Error)) return { code: "Failed", message: String(error) };
  const { name, message, cause } = error;
  return {
    code: error instanceof McpError ? error.code : name === "AbortError" ? "aborted" : "Failed",
    message,
    cause,
  };
}
