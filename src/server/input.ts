/**
 * What a handler may ask the caller for, and the judging of what comes back.
 *
 * A question is written in the short form below; on the wire it is one entry of `inputRequests`. Answers are checked
 * before any handler sees them.
 *
 * @see spec 2026-07-28 basic/patterns/mrtr, client/elicitation, client/sampling, client/roots
 */
import { clip, invalidParams, missingCapability } from "../protocol/errors.ts";
import { assertFormSchema, checkFormContent, type FormContent, type FormSchema } from "../protocol/form-schema.ts";
import { isObject } from "../protocol/json-rpc.ts";
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  FormElicitation,
  InputRequest,
  JsonObject,
  ListRootsResult,
  UrlElicitation,
} from "../protocol/types.ts";

/** A form to fill in. The schema is flat: strings, numbers, booleans and choices. */
export interface FormQuestion<S extends FormSchema = FormSchema> {
  /** Why the server asks, for the person to read. */
  readonly message: string;
  readonly schema: S;
}
/** A page to visit, for anything that must not pass through the client. */
export interface UrlQuestion {
  readonly message: string;
  /** An absolute URL, `https:` outside development. */
  readonly url: string;
}
/** The client's model is to write a message. */
export type SamplingQuestion = CreateMessageParams;
/** The client's root directories. */
export interface RootsQuestion {
  readonly roots: true;
}
export type Question = FormQuestion | UrlQuestion | SamplingQuestion | RootsQuestion;

export type Answer<Q> = Q extends { readonly schema: infer S extends FormSchema }
  ? ElicitResult<FormContent<S>>
  : Q extends UrlQuestion
    ? ElicitResult<never>
    : Q extends SamplingQuestion
      ? CreateMessageResult
      : Q extends RootsQuestion
        ? ListRootsResult
        : never;

/** @throws {TypeError} when the author's question is malformed */
export function toInputRequest(question: Question): InputRequest {
  if ("schema" in question) {
    const { message, schema } = question;
    return elicitation({ mode: "form", message, requestedSchema: schema });
  }
  if ("url" in question) return elicitation({ mode: "url", message: question.message, url: question.url });
  if ("roots" in question) return { method: "roots/list" };
  return { method: "sampling/createMessage", params: question };
}

function elicitation(params: FormElicitation | UrlElicitation): InputRequest {
  if (typeof params.message !== "string") throw new TypeError("message: must be a string");
  if (params.mode !== "url") assertFormSchema(params.requestedSchema);
  else if (!URL.canParse(params.url)) throw new TypeError(`url: not an absolute URL: ${params.url}`);
  return { method: "elicitation/create", params };
}

const ASKABLE: ReadonlySet<unknown> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

/**
 * For the requests that an author wrote by hand.
 *
 * @throws {TypeError} for anything but the three requests that an interim result may hold
 * @throws {ProtocolError} −32021
 */
export function assertAskable(requests: Readonly<Record<string, InputRequest>>, have: ClientCapabilities): void {
  if (!isObject(requests)) throw new TypeError("inputRequests: must be an object");
  const all = Object.values(requests);
  for (const request of all) {
    const { method, params = {} }: { method?: unknown; params?: unknown } = isObject(request) ? request : {};
    if (!ASKABLE.has(method)) throw new TypeError(`inputRequests: ${String(method)} is not something to ask for`);
    if (!isObject(params)) throw new TypeError("inputRequests: params must be an object");
    if (method === "elicitation/create") elicitation((request as { params: FormElicitation | UrlElicitation }).params); // Judges it.
  }
  const missing = missingFor(all, have);
  if (missing !== undefined) throw missingCapability(missing);
}

/**
 * What the client would have had to declare for all of these, on top of `known`.
 *
 * MUST NOT — basic/patterns/mrtr#server-requirements-basic-workflow 7: ask for what the client did not declare.
 */
export function missingFor(
  requests: readonly InputRequest[],
  have: ClientCapabilities,
  known: ClientCapabilities = {},
): ClientCapabilities | undefined {
  const lacking = requests.flatMap((request) => missingForOne(request, have) ?? []);
  if (lacking.length === 0) return undefined;
  const all: Record<string, object> = { ...known };
  for (const missing of lacking) {
    for (const [name, parts] of Object.entries(missing)) all[name] = { ...all[name], ...(parts as object) }; // Two levels are all there are.
  }
  return all;
}

function missingForOne(request: InputRequest, have: ClientCapabilities): ClientCapabilities | undefined {
  switch (request.method) {
    case "elicitation/create": {
      const declared = have.elicitation;
      if (request.params.mode === "url") return declared?.url === undefined ? { elicitation: { url: {} } } : undefined;
      // client/elicitation#capabilities: an empty object means form mode.
      const form = declared !== undefined && (declared.form !== undefined || declared.url === undefined);
      return form ? undefined : { elicitation: { form: {} } };
    }
    case "sampling/createMessage": {
      const { tools, toolChoice } = request.params;
      if (tools !== undefined || toolChoice !== undefined) {
        return have.sampling?.tools === undefined ? { sampling: { tools: {} } } : undefined;
      }
      return have.sampling === undefined ? { sampling: {} } : undefined;
    }
    case "roots/list":
      return have.roots === undefined ? { roots: {} } : undefined;
  }
}

/**
 * An answer from the wire, checked against what was asked.
 *
 * @throws {ProtocolError} −32602 naming the member of `inputResponses` that is wrong
 */
export function checkAnswer(key: string, request: InputRequest, answer: unknown): JsonObject {
  const where = `inputResponses[${JSON.stringify(key)}]`;
  if (!isObject(answer)) throw invalidParams(`Invalid params: ${where} must be an object`);
  switch (request.method) {
    case "elicitation/create":
      checkElicitation(where, request.params.mode === "url" ? undefined : request.params.requestedSchema, answer);
      break;
    case "sampling/createMessage":
      checkSampling(where, answer);
      break;
    case "roots/list":
      checkRoots(where, answer);
      break;
  }
  return answer;
}

function checkElicitation(where: string, schema: FormSchema | undefined, answer: JsonObject): void {
  const action = answer["action"];
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw invalidParams(`Invalid params: ${where}.action must be "accept", "decline" or "cancel"`);
  }
  if (action !== "accept" || schema === undefined) return;
  if (!isObject(answer["content"])) throw invalidParams(`Invalid params: ${where}.content must be an object`);
  const [issue] = checkFormContent(schema, answer["content"]);
  if (issue !== undefined) throw invalidParams(`Invalid params: ${where}.content${clip(issue.path)} ${issue.message}`);
}

function checkSampling(where: string, answer: JsonObject): void {
  if (answer["role"] !== "assistant" && answer["role"] !== "user") {
    throw invalidParams(`Invalid params: ${where}.role must be "assistant" or "user"`);
  }
  if (typeof answer["model"] !== "string") throw invalidParams(`Invalid params: ${where}.model must be a string`);
  const content = answer["content"];
  for (const block of Array.isArray(content) ? content : [content]) {
    if (!isObject(block) || typeof block["type"] !== "string") {
      throw invalidParams(`Invalid params: ${where}.content must be a content block or an array of them`);
    }
  }
}

function checkRoots(where: string, answer: JsonObject): void {
  const roots = answer["roots"];
  if (!Array.isArray(roots)) throw invalidParams(`Invalid params: ${where}.roots must be an array`);
  if (!roots.every((root) => isObject(root) && typeof root["uri"] === "string")) {
    throw invalidParams(`Invalid params: ${where}.roots must hold objects with a uri`);
  }
}
