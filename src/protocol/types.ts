/**
 * The messages of revision 2026-07-28 as TypeScript types, under their wire names.
 *
 * @see spec 2026-07-28 schema
 */
import type { FormSchema } from "./form-schema.ts";

/** Any value JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = Record<string, unknown>;

export type Role = "user" | "assistant";
export type CacheScope = "public" | "private";

export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
/** RFC 5424 severities, mildest first. */
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Icon {
  /** An `https:`, `http:` or `data:` URI. */
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: "light" | "dark";
}

export interface Annotations {
  audience?: Role[];
  /** 0 (entirely optional) to 1 (effectively required). */
  priority?: number;
  /** ISO 8601. */
  lastModified?: string;
}

/** How a server or client names itself. Self-reported: for display and logs, never for decisions. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

interface Block {
  annotations?: Annotations;
  _meta?: JsonObject;
}
export interface TextContent extends Block {
  type: "text";
  text: string;
}
export interface ImageContent extends Block {
  type: "image";
  /** Standard padded Base64. */
  data: string;
  mimeType: string;
}
export interface AudioContent extends Block {
  type: "audio";
  /** Standard padded Base64. */
  data: string;
  mimeType: string;
}
export interface ResourceLink extends Block {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Bytes, before any encoding. */
  size?: number;
  icons?: Icon[];
}
export interface EmbeddedResource extends Block {
  type: "resource";
  resource: ResourceContents;
}
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  _meta?: JsonObject;
}
export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  /** Standard padded Base64. */
  blob: string;
  _meta?: JsonObject;
}
export type ResourceContents = TextResourceContents | BlobResourceContents;

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

export interface ClientCapabilities {
  elicitation?: { form?: JsonObject; url?: JsonObject };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  roots?: JsonObject;
  extensions?: Record<string, JsonObject>;
  experimental?: Record<string, JsonObject>;
}
export interface ServerCapabilities {
  tools?: { listChanged?: boolean };
  resources?: { listChanged?: boolean; subscribe?: boolean };
  prompts?: { listChanged?: boolean };
  completions?: JsonObject;
  logging?: JsonObject;
  extensions?: Record<string, JsonObject>;
  experimental?: Record<string, JsonObject>;
}

export interface CallToolResult {
  content: ContentBlock[];
  /** Any JSON value; checked against the tool's `outputSchema` unless `isError`. */
  structuredContent?: unknown;
  /** The tool itself failed; `content` tells the model why. */
  isError?: boolean;
  _meta?: JsonObject;
}
export interface ReadResourceResult {
  contents: ResourceContents[];
  /** Milliseconds; default from the resource's definition. */
  ttlMs?: number;
  cacheScope?: CacheScope;
  _meta?: JsonObject;
}
export interface GetPromptResult {
  messages: PromptMessage[];
  description?: string;
  _meta?: JsonObject;
}

export interface FormElicitation<S extends FormSchema = FormSchema> {
  mode?: "form";
  message: string;
  requestedSchema: S;
}
export interface UrlElicitation {
  mode: "url";
  message: string;
  url: string;
}
/** What the person answered. `content` is there only when a form was accepted. */
export interface ElicitResult<C = Record<string, unknown>> {
  action: "accept" | "decline" | "cancel";
  content?: C;
}

export type SamplingContent =
  | TextContent
  | ImageContent
  | AudioContent
  | { type: "tool_use"; id: string; name: string; input: JsonObject; _meta?: JsonObject }
  | { type: "tool_result"; toolUseId: string; content: ContentBlock[]; isError?: boolean; structuredContent?: unknown };
export interface SamplingMessage {
  role: Role;
  content: SamplingContent | SamplingContent[];
}
export interface CreateMessageParams {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string;
  temperature?: number;
  stopSequences?: string[];
  includeContext?: "none" | "thisServer" | "allServers";
  modelPreferences?: {
    hints?: { name?: string }[];
    costPriority?: number;
    speedPriority?: number;
    intelligencePriority?: number;
  };
  tools?: { name: string; description?: string; inputSchema: JsonObject }[];
  toolChoice?: { mode?: "auto" | "required" | "none" };
  metadata?: JsonObject;
}
export interface CreateMessageResult {
  role: Role;
  content: SamplingContent | SamplingContent[];
  model: string;
  stopReason?: string;
}
export interface ListRootsResult {
  roots: { uri: string; name?: string; _meta?: JsonObject }[];
}

/** What a server may ask of a client in an interim result. */
export type InputRequest =
  | { method: "elicitation/create"; params: FormElicitation | UrlElicitation }
  | { method: "sampling/createMessage"; params: CreateMessageParams }
  | { method: "roots/list"; params?: JsonObject };
