/**
 * `McpServer`: define once at module scope, dispatch statelessly.
 *
 * Registration compiles everything; the first request freezes the registry; no request builds, registers or compiles
 * anything that another caller could see. Transports call `handle()`.
 *
 * @see spec 2026-07-28 server, basic/index#statelessness
 */
import { clip, invalidParams, methodNotFound } from "../protocol/errors.ts";
import type { Implementation } from "../protocol/types.ts";
import { SUPPORTED_VERSIONS } from "../protocol/versions.ts";
import type { SchemaEngine } from "../schema/engine.ts";
import { callTool, readCall, unknownTool } from "./call-tool.ts";
import { complete, readCompletionRequest } from "./completion.ts";
import type {
  AnySchema,
  Awaitable,
  Completer,
  PromptArgumentDefinition,
  PromptArguments,
  PromptDefinition,
  PromptHandler,
  Provider,
  ResourceDefinition,
  ResourceReader,
  ToolDefinition,
  ToolHandler,
} from "./definitions.ts";
import { SERVER, toWire } from "./described.ts";
import type { Exchange } from "./exchange.ts";
import { List } from "./lists.ts";
import { assertName } from "./name.ts";
import { compilePrompt, getPrompt, unknownPrompt } from "./prompt.ts";
import { isVisible, Provided } from "./provided.ts";
import { Registry, suppliesResources, suppliesTools } from "./registry.ts";
import { compileResource, readResource, type Resource, resourceNotFound, type Variables } from "./resource.ts";
import type { SubscriptionService } from "./subscription-service.ts";
import { ResultWriter } from "./result-writer.ts";
import { compileTool, type Tool } from "./tool.ts";
import { spellingOf } from "./uri-template-match.ts";
import type { UriVariables } from "./uri-template.ts";

export interface ServerOptions<Env = unknown> {
  /** Compiles the schemas of what is registered. */
  schemas: SchemaEngine;
  /** Compiles the schemas of what providers supply while a request runs. Needed for providers with tools only. */
  lateSchemas?: SchemaEngine;
  /** How a model should use this server, in plain language. */
  instructions?: string;
  /** Entries on one page of a list. Default 250. */
  pageSize?: number;
  /** How long clients may keep lists that are the same for everyone, in milliseconds. Default 300,000. */
  listTtlMs?: number;
  /** Whether to declare the `logging` capability, which `ctx.log()` needs. Default true. */
  logging?: boolean;
  /**
   * Serves `subscriptions/listen` and carries what handlers say with `ctx.notify`: `new Subscriptions(…)` of
   * "mcp-edge/subscriptions". Without it nothing is said to change.
   */
  subscriptions?: SubscriptionService<Env>;
}

type MethodHandler<Env> = (exchange: Exchange<Env>) => string | Promise<string>;

const DEFAULT_PAGE_SIZE = 250;
const DEFAULT_LIST_TTL_MS = 300_000;

export class McpServer<Env = unknown> {
  readonly #options: ServerOptions<Env>;
  readonly #writer: ResultWriter;
  readonly #registry: Registry<Env> = new Registry();
  #methods: ReadonlyMap<string, MethodHandler<Env>> | undefined;

  constructor(info: Implementation, options: ServerOptions<Env>) {
    for (const field of ["name", "version"] as const) {
      if (typeof info[field] !== "string" || info[field] === "")
        throw new TypeError(`server ${field}: must be a string`);
    }
    const { pageSize = 1, listTtlMs = 0 } = options;
    if (!Number.isInteger(pageSize) || pageSize < 1) throw new TypeError("pageSize: must be an integer of 1 or more");
    if (!Number.isInteger(listTtlMs) || listTtlMs < 0)
      throw new TypeError("listTtlMs: must be an integer of 0 or more");
    this.#options = options;
    const { name, version } = info;
    this.#writer = new ResultWriter({ ...toWire("server", { ...info }, SERVER), name, version });
  }

  /**
   * Adds a tool. `args` are checked against `inputSchema` and typed from it.
   *
   * @throws {TypeError} naming the tool and the field, for a schema or annotation that cannot be served faithfully
   */
  tool<const I extends AnySchema | undefined = undefined, const O extends AnySchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<I, O, Env>,
    handler: ToolHandler<I, O, Env>,
  ): this {
    assertName("tool", name);
    this.#registry.add(
      "tool",
      this.#registry.tools,
      name,
      compileTool(name, definition, handler, this.#options.schemas),
    );
    return this;
  }

  /**
   * Adds a resource under a fixed URI, or a family of them under an RFC 6570 template such as `note://{board}/{id}`.
   *
   * @throws {TypeError} naming the resource and the field
   */
  resource<const U extends string>(
    uri: U,
    definition: ResourceDefinition<Env>,
    read: ResourceReader<UriVariables<U>, Env>,
  ): this {
    this.#registry.addResource(uri, compileResource(uri, definition, read));
    return this;
  }

  /** Adds a prompt. @throws {TypeError} naming the prompt and the field */
  prompt<const A extends readonly PromptArgumentDefinition<Env>[]>(
    name: string,
    definition: PromptDefinition<A, Env>,
    handler: PromptHandler<PromptArguments<A>, Env>,
  ): this {
    assertName("prompt", name);
    this.#registry.add("prompt", this.#registry.prompts, name, compilePrompt(name, definition, handler));
    return this;
  }

  /** Adds a source of entries that depend on the caller. @throws {TypeError} when tools come without `lateSchemas` */
  provide(provider: Provider<Env>): this {
    this.#registry.assertOpen("provider");
    if (suppliesTools(provider) && this.#options.lateSchemas === undefined) {
      throw new TypeError(
        'provider: tools need the option lateSchemas, such as interpreterEngine() of "mcp-edge/interpreter"',
      );
    }
    this.#registry.providers.push(provider);
    return this;
  }

  /**
   * Serves one request: for transports.
   *
   * @returns the result as JSON text
   * @throws {ProtocolError} for everything the caller is to learn; any other throw is a fault of this side
   */
  handle(exchange: Exchange<Env>): string | Promise<string> {
    const handler = (this.#methods ??= this.#freeze()).get(exchange.method);
    if (handler === undefined) throw methodNotFound(exchange.method);
    const { subscriptions } = this.#options;
    if (subscriptions !== undefined) exchange.publish = (changes) => subscriptions.publish(changes, exchange);
    return handler(exchange);
  }

  /** Methods that nothing is registered for are not there at all. */
  #freeze(): ReadonlyMap<string, MethodHandler<Env>> {
    const registry = this.#registry;
    registry.frozen = true;
    const { lateSchemas, schemas, subscriptions } = this.#options;
    const provided = new Provided(registry.providers, lateSchemas ?? schemas);
    const methods = new Map<string, MethodHandler<Env>>([["server/discover", this.#discover()]]);
    if (registry.hasTools) this.#addToolMethods(methods, provided);
    if (registry.hasResources) this.#addResourceMethods(methods, provided);
    if (registry.hasPrompts) this.#addPromptMethods(methods);
    if (registry.hasCompleters) methods.set("completion/complete", (exchange) => this.#complete(exchange));
    if (subscriptions !== undefined) {
      methods.set("subscriptions/listen", (exchange) => this.#listen(exchange, subscriptions));
    }
    return methods;
  }

  #discover(): MethodHandler<Env> {
    const { instructions, listTtlMs = DEFAULT_LIST_TTL_MS, logging = true, subscriptions } = this.#options;
    const json = this.#writer.result({
      supportedVersions: SUPPORTED_VERSIONS,
      capabilities: this.#registry.capabilities(logging, subscriptions !== undefined),
      instructions,
      ttlMs: listTtlMs,
      cacheScope: "public",
    });
    return () => json;
  }

  #addToolMethods(methods: Map<string, MethodHandler<Env>>, provided: Provided<Env>): void {
    const { tools, providers } = this.#registry;
    const dynamic = providers.some(suppliesTools);
    const list = new List(this.#list("tools"), tools, dynamic ? (exchange) => provided.tools(exchange) : undefined);
    methods.set("tools/list", (exchange) => list.page(exchange, this.#writer));
    methods.set("tools/call", (exchange) => {
      const { name, args } = readCall(exchange.params);
      const call = (tool: Tool<Env> | undefined): Awaitable<string> => {
        if (tool === undefined || !isVisible(tool, exchange)) throw unknownTool(name);
        return callTool(tool, args, exchange, this.#writer);
      };
      const registered = tools.get(name);
      return registered === undefined && dynamic ? provided.tool(name, exchange).then(call) : call(registered);
    });
  }

  #addResourceMethods(methods: Map<string, MethodHandler<Env>>, provided: Provided<Env>): void {
    const { resources, templates, providers } = this.#registry;
    const dynamic = providers.some(suppliesResources);
    const list = new List(
      this.#list("resources"),
      resources,
      dynamic ? (exchange) => provided.resources(exchange) : undefined,
    );
    const templateList = new List(this.#list("resourceTemplates"), templates);
    methods.set("resources/list", (exchange) => list.page(exchange, this.#writer));
    methods.set("resources/templates/list", (exchange) => templateList.page(exchange, this.#writer));
    methods.set("resources/read", async (exchange) => {
      const { uri } = exchange.params;
      if (typeof uri !== "string") throw invalidParams("Invalid params: uri must be a string");
      const fixed = this.#fixed(uri) ?? (dynamic ? await provided.resource(uri, exchange) : undefined);
      const [resource, variables] = fixed === undefined ? matchTemplate(templates, uri) : [fixed, NO_VARIABLES];
      // The first match decides: a template must not serve what a hidden entry before it keeps from this caller.
      if (resource === undefined || !isVisible(resource, exchange)) throw resourceNotFound(uri);
      return readResource(resource, uri, variables, exchange, this.#writer);
    });
  }

  #addPromptMethods(methods: Map<string, MethodHandler<Env>>): void {
    const { prompts } = this.#registry;
    const list = new List(this.#list("prompts"), prompts);
    methods.set("prompts/list", (exchange) => list.page(exchange, this.#writer));
    methods.set("prompts/get", async (exchange) => {
      const { name } = exchange.params;
      if (typeof name !== "string") throw invalidParams("Invalid params: name must be a string");
      const prompt = prompts.get(name);
      if (prompt === undefined || !isVisible(prompt, exchange)) throw unknownPrompt(name);
      return getPrompt(prompt, exchange, this.#writer);
    });
  }

  async #listen(exchange: Exchange<Env>, subscriptions: SubscriptionService<Env>): Promise<string> {
    const { hasTools: tools, hasPrompts: prompts, hasResources: resources } = this.#registry;
    const isVisibleAt = (uri: string): boolean => {
      const resource = this.#fixed(uri) ?? matchTemplate(this.#registry.templates, uri)[0];
      return resource === undefined || isVisible(resource, exchange);
    };
    const supported = { tools, prompts, resources, isVisible: isVisibleAt };
    const how = await subscriptions.listen(exchange, supported);
    if (how === "broken") exchange.hangUp();
    return this.#writer.subscriptionEnd(exchange.id);
  }

  /** The fixed resource at a URI, however that is spelt. */
  #fixed(uri: string): Resource<Env> | undefined {
    const { resources, spellings } = this.#registry;
    return resources.get(uri) ?? spellings.get(spellingOf(uri) ?? uri);
  }

  async #complete(exchange: Exchange<Env>): Promise<string> {
    const request = readCompletionRequest(exchange.params);
    return complete(this.#findCompleter(request, exchange), request, exchange, this.#writer);
  }

  /** Undefined for an argument that exists and has no completer. @throws {ProtocolError} −32602 for one that does not */
  #findCompleter({ ref, argument }: CompletionTarget, exchange: Exchange<Env>): Completer<Env> | undefined {
    if (ref.type === "ref/prompt") {
      const prompt = this.#registry.prompts.get(ref.name);
      if (prompt === undefined || !isVisible(prompt, exchange)) throw unknownPrompt(ref.name);
      const declared = prompt.arguments.get(argument.name);
      if (declared === undefined)
        throw invalidParams(`Invalid params: the prompt has no argument ${JSON.stringify(clip(argument.name))}`);
      return declared.complete;
    }
    const resource = this.#registry.templates.get(ref.uri);
    if (resource === undefined || !isVisible(resource, exchange)) throw resourceNotFound(ref.uri);
    if (resource.template?.variables.includes(argument.name) !== true) {
      throw invalidParams(`Invalid params: the template has no variable ${JSON.stringify(clip(argument.name))}`);
    }
    return Object.hasOwn(resource.complete, argument.name) ? resource.complete[argument.name] : undefined;
  }

  #list(member: string): { member: string; pageSize: number; ttlMs: number } {
    const { pageSize = DEFAULT_PAGE_SIZE, listTtlMs: ttlMs = DEFAULT_LIST_TTL_MS } = this.#options;
    return { member, pageSize, ttlMs };
  }
}

const NO_VARIABLES: Variables = Object.freeze(Object.create(null) as Variables);

function matchTemplate<Env>(
  templates: ReadonlyMap<string, Resource<Env>>,
  uri: string,
): [Resource<Env>, Variables] | [undefined, Variables] {
  for (const resource of templates.values()) {
    const variables = resource.template?.match(uri);
    if (variables !== undefined) return [resource, variables];
  }
  return [undefined, NO_VARIABLES];
}

type CompletionTarget = ReturnType<typeof readCompletionRequest>;
