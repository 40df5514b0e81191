/**
 * What the lists of a server hold, as types. A client checks the names and what it acts on; the rest is for display and
 * as the server sent it.
 *
 * @see spec 2026-07-28 schema
 */
import type { Annotations, Icon, JsonObject, PromptArgument, ToolAnnotations } from "../protocol/types.ts";
import type { JsonSchema } from "../schema/engine.ts";

interface Listed {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

export interface Tool extends Listed {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Hints of the server's, which it need not keep to. */
  readonly annotations?: ToolAnnotations;
}

export interface Resource extends Listed {
  readonly uri: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
}

export interface ResourceTemplate extends Listed {
  readonly uriTemplate: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
}

export interface Prompt extends Listed {
  readonly arguments?: readonly PromptArgument[];
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

export interface CompletionQuestion {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}
