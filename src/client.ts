/**
 * Entry `mcp-edge/client`: a client over `fetch`, for browsers, Workers and Node.
 */
export type { AuthProvider, SignedRequest } from "./client/auth-provider.ts";
export type { CacheStore } from "./client/cache-store.ts";
export type { CallOptions, InputMode, McpClientOptions, ReadOptions } from "./client/client-options.ts";
export { indexedDbStore, type IndexedDbStoreOptions } from "./client/indexed-db-store.ts";
export { formDefaults, type InputResponses, isPendingInput, type PendingInput } from "./client/input-rounds.ts";
export type { Completion, CompletionQuestion, Prompt, Resource, ResourceTemplate, Tool } from "./client/listed.ts";
export type { Listening, ListenEvent, ListeningState, ListenOptions } from "./client/listening.ts";
export { McpClient } from "./client/mcp-client.ts";
export { memoryStore, type StoreLimits } from "./client/memory-store.ts";
export { type CacheUse, resultCache } from "./client/result-cache.ts";
export type {
  CheckedToolResult,
  InputContext,
  InputHandlers,
  LegacyConnector,
  LogMessage,
  Progress,
  ReadLimits,
  RequestOptions,
  ServerDescription,
} from "./client/session.ts";
export { ErrorCode, McpError, ProtocolError } from "./protocol/errors.ts";
export type { SubscriptionFilter } from "./protocol/subscription.ts";
export type * from "./protocol/types.ts";
