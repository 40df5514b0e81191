/**
 * Answers to what a legacy server asks of the client in requests of its own.
 *
 * @see spec 2025-11-25 client/elicitation, client/sampling, client/roots, basic/utilities/ping
 */
import { ErrorCode, invalidParams, methodNotFound, ProtocolError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { ClientCapabilities, JsonObject } from "../../protocol/types.ts";
import type { Connection, InputContext, InputHandlers } from "../session.ts";
import { withFormDefaults } from "./form-defaults.ts";

type ElicitParams = Parameters<NonNullable<InputHandlers["elicit"]>>[0];
type SampleParams = Parameters<NonNullable<InputHandlers["sample"]>>[0];

/** What the handshake declares: what there are handlers for, in the words that the host chose where it chose any. */
export function legacyCapabilities({ input, capabilities }: Connection): ClientCapabilities {
  const { elicitation = { form: {} }, sampling = {}, experimental } = capabilities;
  return {
    ...(input.elicit !== undefined && { elicitation }),
    ...(input.sample !== undefined && { sampling }),
    // Without `listChanged`: there is nobody to say when they do.
    ...(input.roots !== undefined && { roots: {} }),
    ...(experimental !== undefined && { experimental }),
  };
}

/** @throws {ProtocolError} fit to be sent: what a handler throws is told to `onWarning` and to nobody else */
export async function answerRequest(
  connection: Connection,
  request: { readonly method: string; readonly params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  const answer = answererOf(connection, request);
  try {
    return await answer({ signal, request: undefined });
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!signal.aborted) connection.onWarning(`The handler of ${request.method} failed: ${String(error)}`);
    throw new ProtocolError(ErrorCode.InternalError, "Internal error");
  }
}

type Answerer = (ctx: InputContext) => Promise<JsonObject>;

function answererOf(
  connection: Connection,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): Answerer {
  const { elicit, sample, roots } = connection.input;
  if (method === "ping") return () => Promise.resolve({});
  if (method === "roots/list" && roots !== undefined) return (ctx) => roots(ctx);
  if (method === "sampling/createMessage" && sample !== undefined) {
    if (!Array.isArray(params["messages"])) throw invalidParams("Invalid params: messages must be an array");
    // The rest of the params is for the host to judge, as it is in every era.
    return (ctx) => sample(params as unknown as SampleParams, ctx);
  }
  if (method === "elicitation/create" && elicit !== undefined) {
    assertElicitation(params, legacyCapabilities(connection));
    // Just judged as far as the modes go; a form's fields are for whoever shows it.
    const elicitation = params as unknown as ElicitParams;
    return async (ctx) => withFormDefaults(await elicit(elicitation, ctx), params["requestedSchema"]);
  }
  throw methodNotFound(method);
}

function assertElicitation(params: JsonObject, { elicitation }: ClientCapabilities): void {
  if (typeof params["message"] !== "string") throw invalidParams("Invalid params: message must be a string");
  const mode = params["mode"] ?? "form";
  // MUST — 2025-11-25 client/elicitation#error-handling: a mode that was not declared is −32602. No mode at all is a form.
  const declared = mode === "url" ? elicitation?.url : (elicitation?.form ?? elicitation?.url === undefined);
  if ((mode !== "form" && mode !== "url") || !declared) throw invalidParams("Invalid params: mode was not declared");
  if (mode === "url" && typeof params["url"] !== "string") throw invalidParams("Invalid params: url must be a string");
  if (mode === "form" && !isObject(params["requestedSchema"])) {
    throw invalidParams("Invalid params: requestedSchema must be an object");
  }
}
