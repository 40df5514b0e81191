/**
 * Entries that providers supply for one caller, compiled like registered ones.
 *
 * A provided tool is compiled once per definition object, by the engine for schemas that arrive late. One that cannot be
 * compiled is reported and left out, so that it does not hide the others.
 */
import type { SchemaEngine } from "../schema/engine.ts";
import type { DynamicResource, DynamicTool, Provider } from "./definitions.ts";
import type { Caller, Exchange } from "./exchange.ts";
import { assertName } from "./name.ts";
import { compileResource, type Resource } from "./resource.ts";
import { compileTool, type Tool } from "./tool.ts";

export class Provided<Env> {
  readonly #providers: readonly Provider<Env>[];
  readonly #engine: SchemaEngine;
  /** Null for a definition that was reported and left out. */
  readonly #tools: WeakMap<DynamicTool<Env>, Tool<Env> | null> = new WeakMap();

  constructor(providers: readonly Provider<Env>[], engine: SchemaEngine) {
    this.#providers = providers;
    this.#engine = engine;
  }

  async tools(caller: Exchange<Env>): Promise<[string, Tool<Env>][]> {
    const lists = await Promise.all(this.#providers.map(async (provider) => (await provider.tools?.(caller)) ?? []));
    return firstOfEachName(
      lists.flat().flatMap((tool) => this.#compile(tool, caller) ?? []),
      ({ name }) => name,
    );
  }

  async tool(name: string, caller: Exchange<Env>): Promise<Tool<Env> | undefined> {
    for (const provider of this.#providers) {
      const found = provider.tool
        ? await provider.tool(name, caller)
        : (await provider.tools?.(caller))?.find((tool) => tool?.name === name);
      const tool = found?.name === name ? this.#compile(found, caller) : undefined;
      if (tool !== undefined) return tool;
    }
    return undefined;
  }

  async resources(caller: Exchange<Env>): Promise<[string, Resource<Env>][]> {
    const lists = await Promise.all(
      this.#providers.map(async (provider) => (await provider.resources?.(caller)) ?? []),
    );
    return firstOfEachName(
      lists.flat().flatMap((resource) => toResource(resource, caller) ?? []),
      ({ key }) => key,
    );
  }

  /** Undefined also for an entry that is listed but has no reader. */
  async resource(uri: string, caller: Exchange<Env>): Promise<Resource<Env> | undefined> {
    for (const provider of this.#providers) {
      const found = provider.resource
        ? await provider.resource(uri, caller)
        : (await provider.resources?.(caller))?.find((resource) => resource?.uri === uri);
      if (found?.read !== undefined && found.uri === uri) return toResource(found, caller);
    }
    return undefined;
  }

  #compile(tool: DynamicTool<Env>, caller: Reporter): Tool<Env> | undefined {
    let compiled = this.#tools.get(tool);
    if (compiled !== undefined) return compiled ?? undefined;
    try {
      const { name, handler, ...definition } = tool;
      assertName("provided tool", name);
      compiled = compileTool<Env>(name, definition, handler, this.#engine);
    } catch (error) {
      caller.report(error);
      compiled = null;
    }
    // A definition may be null in JavaScript, and then there is nothing to remember it by.
    if (typeof tool === "object" && tool !== null) this.#tools.set(tool, compiled);
    return compiled ?? undefined;
  }
}

type Reporter = Pick<Exchange, "report">;

function toResource<Env>(resource: DynamicResource<Env>, caller: Reporter): Resource<Env> | undefined {
  try {
    const { uri, read, ...definition } = resource;
    const compiled = compileResource<Env>(uri, definition, (uri, _variables, ctx) => read?.(uri, ctx));
    if (compiled.template !== undefined)
      throw new TypeError(`provided resource ${JSON.stringify(uri)}: templates are registered`);
    return compiled;
  } catch (error) {
    caller.report(error);
    return undefined;
  }
}

function firstOfEachName<T>(entries: readonly T[], nameOf: (entry: T) => string): [string, T][] {
  const byName = new Map<string, T>();
  for (const entry of entries) if (!byName.has(nameOf(entry))) byName.set(nameOf(entry), entry);
  return [...byName];
}

export function isVisible<Env>(
  entry: { readonly visibleTo: ((caller: Caller<Env>) => boolean) | undefined },
  exchange: Exchange<Env>,
): boolean {
  // Nothing but true shows an entry: a promise of an answer, which JavaScript authors may return, is no permission.
  const answer: unknown = entry.visibleTo === undefined || entry.visibleTo(exchange);
  // Left alone, such a promise that rejects ends a Node process.
  if (typeof answer === "object") Promise.resolve(answer).catch((error: unknown) => exchange.report(error));
  return answer === true;
}
