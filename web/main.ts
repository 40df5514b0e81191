/**
 * The page: connects to the server it came from, or to `?server=URL`, shows who that is and what it can do.
 *
 * The chosen tool or resource is in the address's fragment, so that Back works and either can be linked to.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { META_SERVER_INFO } from "../src/protocol/versions.ts";
import { byId, h, iconUri } from "./dom.ts";
import type { Outcome } from "./exchange.ts";
import { listAll } from "./list-pages.ts";
import { fragmentOf, uriInFragment } from "./resource.ts";
import { Resources } from "./resources.ts";
import { outcomeView } from "./result-view.ts";
import { ToolList } from "./tool-list.ts";
import { ToolView } from "./tool-view.ts";
import { parseTool, type Tool } from "./tool.ts";
import { WireClient } from "./wire.ts";

class Page {
  readonly #client: WireClient;
  readonly #pane = byId("pane");
  #tools: readonly Tool[] = [];
  #list: ToolList | undefined;
  /** Undefined when the server has none. */
  #resources: Resources | undefined;
  #tool: ToolView | undefined;
  #serverName = "The server";

  constructor(endpoint: string) {
    this.#client = new WireClient(endpoint);
    byId("endpoint").textContent = endpoint;
  }

  async start(): Promise<void> {
    const discovered = await this.#client.request("server/discover", {});
    if (discovered.kind !== "result") return this.#fail(discovered);
    this.#introduce(discovered.result);
    const listed = await this.#listTools();
    if (!Array.isArray(listed)) return this.#fail(listed);
    this.#tools = listed;
    this.#list = new ToolList(listed);
    byId("tools").replaceChildren(this.#list.element);
    const { capabilities } = discovered.result;
    if (isObject(capabilities) && isObject(capabilities["resources"])) {
      this.#resources = new Resources(this.#client, capabilities["resources"]);
      byId("resources").replaceChildren(this.#resources.element);
    }
    window.addEventListener("hashchange", () => this.#route(true));
    this.#route(false);
  }

  #introduce({ _meta, instructions }: JsonObject): void {
    const info = isObject(_meta) ? _meta[META_SERVER_INFO] : undefined;
    const { name, title, version, description, icons } = isObject(info) ? info : ({} as JsonObject);
    const shown = [title, name].find((text) => typeof text === "string" && text !== "");
    this.#serverName = typeof shown === "string" ? shown : "A server without a name";
    document.title = `${this.#serverName} · MCP`;
    byId("server-name").textContent = this.#serverName;
    byId("server-version").textContent = typeof version === "string" ? version : "";
    byId("server-description").textContent = typeof description === "string" ? description : "";
    const icon = iconUri(icons);
    if (icon !== undefined)
      byId("server-icon").replaceChildren(h("img", { src: icon, alt: "", width: 28, height: 28 }));
    if (typeof instructions === "string" && instructions !== "") {
      const note = h(
        "details",
        { class: "instructions" },
        h("summary", {}, "Instructions for the model"),
        h("p", {}, instructions),
      );
      byId("instructions").replaceChildren(note);
    }
  }

  async #listTools(): Promise<Tool[] | Outcome> {
    const listed = await listAll(this.#client, { method: "tools/list", member: "tools" });
    if (Array.isArray(listed)) return listed.flatMap((entry) => parseTool(entry) ?? []);
    // A server without tools does not know the method.
    return listed.kind === "error" && listed.code === -32601 ? [] : listed;
  }

  /** Fragments of another form, such as that of the skip link, leave everything as it is. @param moved whether the person went here, as opposed to the page having just loaded */
  #route(moved: boolean): void {
    if (moved && !/^(?:#\/|$)/.test(location.hash)) return;
    const uri = this.#resources && uriInFragment(location.hash);
    const resource = this.#resources?.open(uri);
    const tool = uri === undefined ? this.#toolInFragment() : undefined;
    this.#tool?.close();
    const hrefOf = (uri: string): string | undefined => this.#resources && fragmentOf(uri);
    this.#tool = tool && new ToolView(this.#client, tool, { asker: this.#serverName, hrefOf });
    this.#list?.select(tool?.name);
    const view = resource ?? this.#tool;
    document.body.dataset["view"] = view === undefined ? "list" : "tool";
    if (view === undefined) {
      const hint = this.#tools.length === 0 ? "This server offers no tools." : "Choose a tool from the list.";
      this.#pane.replaceChildren(h("p", { class: "empty large" }, hint));
      return;
    }
    byId("back").textContent = resource === undefined ? "All tools" : "Tools and resources";
    this.#pane.replaceChildren(view.element);
    if (moved) {
      view.heading.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
  }

  #toolInFragment(): Tool | undefined {
    const name = nameInFragment();
    const wide = matchMedia("(min-width: 56rem)").matches;
    return this.#tools.find((tool) => tool.name === name) ?? (wide ? this.#tools[0] : undefined);
  }

  #fail(outcome: Outcome): void {
    const retry = h("button", { class: "primary" }, "Try again");
    retry.addEventListener("click", () => location.reload());
    byId("server-name").textContent = "No connection";
    byId("tools").replaceChildren();
    document.body.dataset["view"] = "tool";
    const heading = h("h2", {}, "This server did not introduce itself");
    this.#pane.replaceChildren(
      h("article", { class: "tool" }, heading, ...outcomeView(outcome), h("div", { class: "actions" }, retry)),
    );
  }
}

function nameInFragment(): string {
  try {
    return decodeURIComponent(location.hash.replace(/^#\//, ""));
  } catch {
    return ""; // Somebody typed a stray percent sign.
  }
}

/** `?server=` where it is an address one can call, else the endpoint beside this page. */
function endpointFromAddress(): string {
  const given = new URLSearchParams(location.search).get("server");
  const own = new URL("/mcp", location.href);
  if (given === null || !URL.canParse(given, location.href)) return own.href;
  const chosen = new URL(given, location.href);
  chosen.hash = "";
  return /^https?:$/.test(chosen.protocol) ? chosen.href : own.href;
}

await new Page(endpointFromAddress()).start();
