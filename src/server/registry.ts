/**
 * Everything a server offers, in the order it was registered. Filled at module scope, frozen at first use; requests only
 * read it.
 */
import type { ServerCapabilities } from "../protocol/types.ts";
import type { Provider } from "./definitions.ts";
import type { Prompt } from "./prompt.ts";
import type { Resource } from "./resource.ts";
import type { Tool } from "./tool.ts";
import { spellingOf } from "./uri-template-match.ts";

export class Registry<Env> {
  readonly tools: Map<string, Tool<Env>> = new Map();
  /** Fixed resources by URI. */
  readonly resources: Map<string, Resource<Env>> = new Map();
  /** The same by `spellingOf`: an escaped letter must not lead past a hidden one to a template. */
  readonly spellings: Map<string, Resource<Env>> = new Map();
  /** Templates by their text, matched in the order of registration. */
  readonly templates: Map<string, Resource<Env>> = new Map();
  readonly prompts: Map<string, Prompt<Env>> = new Map();
  readonly providers: Provider<Env>[] = [];
  frozen = false;

  /** @throws {TypeError} when the name is taken, or once a request has been served */
  add<T>(kind: string, entries: Map<string, T>, name: string, entry: T): void {
    this.assertOpen(`${kind} ${JSON.stringify(name)}`);
    if (entries.has(name)) throw new TypeError(`${kind} ${JSON.stringify(name)} is registered twice`);
    entries.set(name, entry);
  }

  /** @throws {TypeError} as add(), and when the URI is another spelling of one that is there */
  addResource(uri: string, resource: Resource<Env>): void {
    if (resource.template !== undefined) return this.add("resource", this.templates, uri, resource);
    const spelling = spellingOf(uri) ?? uri;
    if (this.spellings.has(spelling)) throw new TypeError(`resource ${JSON.stringify(uri)} is registered twice`);
    this.add("resource", this.resources, uri, resource);
    this.spellings.set(spelling, resource);
  }

  assertOpen(what: string): void {
    if (this.frozen) {
      throw new TypeError(`${what}: registered after the first request; register at module scope, or use a provider`);
    }
  }

  get hasTools(): boolean {
    return this.tools.size > 0 || this.providers.some(suppliesTools);
  }
  get hasResources(): boolean {
    return this.resources.size + this.templates.size > 0 || this.providers.some(suppliesResources);
  }
  get hasPrompts(): boolean {
    return this.prompts.size > 0;
  }
  get hasCompleters(): boolean {
    if ([...this.templates.values()].some(({ complete }) => Object.keys(complete).length > 0)) return true;
    return [...this.prompts.values()].some((prompt) => [...prompt.arguments.values()].some(({ complete }) => complete));
  }

  /** @param subscriptions whether changes reach anybody: without that, none are promised */
  capabilities(logging: boolean, subscriptions: boolean): ServerCapabilities {
    const listChanged = subscriptions && { listChanged: true };
    return {
      ...(this.hasTools && { tools: { ...listChanged } }),
      ...(this.hasResources && { resources: { ...listChanged, ...(subscriptions && { subscribe: true }) } }),
      ...(this.hasPrompts && { prompts: { ...listChanged } }),
      ...(this.hasCompleters && { completions: {} }),
      ...(logging && { logging: {} }),
    };
  }
}

/** One by one is enough: such tools can be called, though no list shows them. */
export function suppliesTools(provider: Provider<never>): boolean {
  return provider.tools !== undefined || provider.tool !== undefined;
}

export function suppliesResources(provider: Provider<never>): boolean {
  return provider.resources !== undefined || provider.resource !== undefined;
}
