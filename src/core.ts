/**
 * Entry `mcp-edge/core`: the server and its fetch handler without a JSON Schema engine. Pass one as `schemas`.
 *
 * `mcp-edge` is the same with Ajv built in.
 */
export {
  type Authenticate,
  createFetchHandler,
  type FetchHandler,
  type FetchHandlerOptions,
} from "./http/fetch-handler.ts";
export type { FromEnv } from "./http/from-env.ts";
export type { StateKeys } from "./http/state-keys.ts";
export type { RuntimeContext } from "./http/http-exchange.ts";
export type { AllowedHosts, AllowedOrigins } from "./http/origin.ts";
export { ErrorCode, McpError, ProtocolError, ToolError } from "./protocol/errors.ts";
export type * from "./protocol/types.ts";
export type { FormContent, FormSchema } from "./protocol/form-schema.ts";
export { MODERN_VERSION, SUPPORTED_VERSIONS } from "./protocol/versions.ts";
export {
  type JsonSchema,
  type SchemaCheck,
  type SchemaEngine,
  SchemaError,
  type SchemaIssue,
} from "./schema/engine.ts";
export type { InferInput, InferOutput } from "./schema/infer.ts";
export { audio, image } from "./server/content.ts";
export type { RequestContext, TraceContext } from "./server/context.ts";
export type * from "./server/definitions.ts";
export type { AuthInfo, Caller, Exchange } from "./server/exchange.ts";
export type { Answer, FormQuestion, Question, RootsQuestion, SamplingQuestion, UrlQuestion } from "./server/input.ts";
export type { Notifier } from "./server/notifier.ts";
export type { SubscriptionService } from "./server/subscription-service.ts";
export { McpServer, type ServerOptions } from "./server/mcp-server.ts";
export type { UriVariables } from "./server/uri-template.ts";
