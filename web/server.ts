/**
 * One server as the page knows it: the client, what came over its wire, its lists, and what it tells of changes.
 *
 * Contract: nothing is sent before `connect()`. Each list is asked for when somebody first looks at it, and again when the
 * server says that it changed.
 */
import {
  McpClient,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ServerDescription,
  type Tool,
} from "../src/client.ts";
import { streamableFallback } from "../src/client-legacy.ts";
import { isObject } from "../src/protocol/json-rpc.ts";
import { interpreterEngine } from "../src/schema/interpreter.ts";
import type { OAuthProvider } from "../src/client-oauth.ts";
import { authFor, type OAuthClientSettings } from "./connect/auth.ts";
import { inputHandlers } from "./input/input-handlers.ts";
import { Feed } from "./listen/feed.ts";
import { ServerList } from "./server-list.ts";
import { State } from "./state.ts";
import { WireLog } from "./wire/wire-log.ts";

export const CLIENT_INFO = { name: "mcp-edge-page", title: "mcp-edge companion page", version: "0.1.0" };

export interface ServerSettings {
  /** The endpoint. */
  readonly url: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly oauth?: OAuthClientSettings | undefined;
}

export type ServerStatus =
  | { readonly phase: "connecting" }
  | { readonly phase: "ready"; readonly description: ServerDescription }
  | { readonly phase: "failed"; readonly error: unknown };

export class Server {
  readonly settings: ServerSettings;
  readonly wire: WireLog;
  readonly status = new State<ServerStatus>({ phase: "connecting" });
  /** What the client left out or ignored, newest last. */
  readonly warnings = new State<readonly string[]>([]);
  readonly auth: OAuthProvider | undefined;
  readonly client: McpClient;
  readonly tools: ServerList<Tool>;
  readonly resources: ServerList<Resource>;
  readonly templates: ServerList<ResourceTemplate>;
  readonly prompts: ServerList<Prompt>;
  readonly feed: Feed;
  #turn = 0;
  /** What it said last, for lists that are asked for while it is asked again. */
  #known: ServerDescription | undefined;

  constructor(settings: ServerSettings) {
    const { url, headers = {}, oauth } = settings;
    this.settings = settings;
    this.wire = new WireLog(Object.keys(headers));
    this.auth = authFor(url, this.wire.fetch, oauth);
    this.client = new McpClient(url, {
      info: CLIENT_INFO,
      fetch: this.wire.fetch,
      headers,
      ...(this.auth && { auth: this.auth }),
      schemas: interpreterEngine(),
      legacy: streamableFallback(),
      input: inputHandlers(this),
      onWarning: (message) => this.#warn(message),
    });
    this.tools = new ServerList(() => this.#list("tools", "name", () => this.client.listTools()));
    this.resources = new ServerList(() => this.#list("resources", "uri", () => this.client.listResources()));
    this.templates = new ServerList(() =>
      this.#list("resources", "uriTemplate", () => this.client.listResourceTemplates()),
    );
    this.prompts = new ServerList(() => this.#list("prompts", "name", () => this.client.listPrompts()));
    this.feed = new Feed(this);
  }

  /** Introduces the two. Also after a failure, to try again. */
  async connect(): Promise<void> {
    const turn = ++this.#turn;
    this.status.set({ phase: "connecting" });
    try {
      const description = await this.client.discover();
      if (turn !== this.#turn) return; // It was tried again meanwhile.
      this.#known = description;
      // What it offers may be something else now. Those that nobody looked at yet are asked for when somebody does.
      this.outdate();
      this.status.set({ phase: "ready", description });
      this.feed.start();
    } catch (error) {
      if (turn === this.#turn) this.status.set({ phase: "failed", error });
    }
  }

  /** Loads all lists again that anybody looked at. */
  outdate(): void {
    for (const list of [this.tools, this.resources, this.templates, this.prompts]) list.outdate();
  }

  get description(): ServerDescription | undefined {
    const { value } = this.status;
    return value.phase === "ready" ? value.description : undefined;
  }

  /** How the page calls it. */
  get name(): string {
    const info = this.description?.info;
    return (
      [info?.title, info?.name].find((text) => typeof text === "string" && text !== "") ??
      new URL(this.settings.url).host
    );
  }

  close(): void {
    this.feed.close();
    // What was under way ends as aborted, where it is shown.
    void this.client.close();
  }

  /** Servers do not know the methods of what they have not got. What goes by no name is left out. */
  async #list<T extends object>(
    capability: "tools" | "resources" | "prompts",
    key: keyof T,
    load: () => Promise<T[]>,
  ): Promise<T[]> {
    if (this.#known?.capabilities[capability] === undefined) return [];
    const listed = await load();
    const items = listed.filter((item) => isObject(item) && typeof item[key] === "string");
    if (items.length < listed.length) this.#warn(`${capability} without ${String(key)} are left out`);
    return items;
  }

  #warn(message: string): void {
    this.warnings.set([...this.warnings.value.slice(-99), message]);
  }
}
