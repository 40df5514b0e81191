/**
 * The page: connects to the server it came from, or to `?server=URL`, shows who that is and what it can do.
 *
 * The chosen tool is in the address's fragment, so that Back works and a tool can be linked to.
 */
import { isObject } from "../src/protocol/json-rpc.ts";
import type { JsonObject } from "../src/protocol/types.ts";
import { META_SERVER_INFO } from "../src/protocol/versions.ts";
import { byId, h, iconUri } from "./dom.ts";
import type { Outcome } from "./exchange.ts";
import { outcomeView } from "./result-view.ts";
import { ToolList } from "./tool-list.ts";
import { ToolView } from "./tool-view.ts";
import { parseTool, type Tool } from "./tool.ts";
import { WireClient } from "./wire.ts";

/** Pages of `tools/list` this page is willing to go through. */
const MAX_PAGES = 40;

class Page {
  readonly #client: WireClient;
  readonly #pane = byId("pane");
  #tools: readonly Tool[] = [];
  #list: ToolList | undefined;
  #view: ToolView | undefined;
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
    const tools: Tool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const listed = await this.#client.request("tools/list", cursor === undefined ? {} : { cursor });
      // A server without tools does not know the method.
      if (listed.kind === "error" && listed.code === -32601) return [];
      if (listed.kind !== "result") return listed;
      const { tools: entries, nextCursor } = listed.result;
      if (Array.isArray(entries)) tools.push(...entries.flatMap((entry: unknown) => parseTool(entry) ?? []));
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    return tools;
  }

  /** Fragments of another form, such as that of the skip link, leave everything as it is. @param moved whether the person went here, as opposed to the page having just loaded */
  #route(moved: boolean): void {
    if (moved && !/^(?:#\/|$)/.test(location.hash)) return;
    const name = nameInFragment();
    const wide = matchMedia("(min-width: 56rem)").matches;
    const tool = this.#tools.find((tool) => tool.name === name) ?? (wide ? this.#tools[0] : undefined);
    this.#view?.close();
    this.#view = undefined;
    document.body.dataset["view"] = tool === undefined ? "list" : "tool";
    this.#list?.select(tool?.name);
    if (tool === undefined) {
      const hint = this.#tools.length === 0 ? "This server offers no tools." : "Choose a tool from the list.";
      this.#pane.replaceChildren(h("p", { class: "empty large" }, hint));
      return;
    }
    this.#view = new ToolView(this.#client, tool, this.#serverName);
    this.#pane.replaceChildren(this.#view.element);
    if (moved) {
      this.#view.heading.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
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
