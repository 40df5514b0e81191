/**
 * The chat: a conversation between the person, a model of theirs, and the tools of the servers that are open.
 *
 * Contract: nothing is called that the person did not see first, where it may change something. The key goes to the endpoint
 * that they named and nowhere else.
 */
import type { CheckedToolResult, JsonObject } from "../../src/client.ts";
import type { App } from "../app.ts";
import { button, h } from "../dom.ts";
import { setSampler } from "../input/sampler.ts";
import { resultView } from "../results/content-view.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import { markdown } from "../results/markdown.ts";
import type { Server } from "../server.ts";
import { approve } from "../tools/approval.ts";
import { Conversation, MAX_ROUNDS, modelTools } from "./conversation.ts";
import type { CallOutcome, ModelCall, Reply } from "./model.ts";
import { askModel } from "./model-request.ts";
import { ModelForm } from "./model-form.ts";
import { samplerOf } from "./sampling.ts";
import { offer, type OfferedTool, type ToolSource } from "./toolbox.ts";

interface Source extends ToolSource {
  readonly server: Server;
}

export class Chat {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #heading = h("h2", { tabindex: -1 }, "Chat");
  readonly #model = new ModelForm((settings) => setSampler(settings && samplerOf(settings)));
  readonly #servers = h("fieldset", { class: "of-servers" });
  readonly #log = h("div", { class: "log", role: "log", "aria-label": "Conversation", tabindex: 0 });
  readonly #text = h("textarea", { rows: 2, "aria-label": "Message", placeholder: "Ask for something" });
  readonly #send = h("button", { class: "primary" }, "Send");
  readonly #stop = button("Stop", () => this.#running?.abort(), "");
  readonly #state = h("p", { class: "hint", role: "status" });
  /** Servers whose tools the model is not told of. */
  readonly #left = new Set<Server>();
  readonly #cards = new Map<string, Card>();
  #offered: Map<string, OfferedTool<Source>> = new Map();
  #conversation = this.#begin();
  #running: AbortController | undefined;

  constructor(app: App) {
    this.#app = app;
    const form = h(
      "form",
      { class: "composer" },
      this.#text,
      h("div", { class: "actions" }, this.#send, this.#stop, this.#state),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#say();
    });
    this.#text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    this.element = h(
      "section",
      { class: "chat" },
      h(
        "header",
        { class: "chat-head" },
        this.#heading,
        button("New conversation", () => this.#restart()),
      ),
      this.#model.element,
      this.#servers,
      this.#log,
      form,
    );
    app.servers.watch(() => this.#drawServers());
    this.#restart();
  }

  /** What to focus for those who come here. */
  get target(): HTMLElement {
    return this.#model.settings === undefined ? this.#heading : this.#text;
  }

  #begin(): Conversation {
    return new Conversation({
      ask: (turns, signal) => {
        const { settings } = this.#model;
        if (settings === undefined) throw new Error("No model is set up.");
        return askModel(settings, { turns, tools: modelTools(this.#offered.values()), signal });
      },
      knows: (name) => this.#offered.has(name),
      call: (call, args, signal) => this.#call(call, args, signal),
      onReply: (reply) => this.#showReply(reply),
      onOutcome: (call, outcome) => this.#cards.get(call.id)?.end(outcome),
    });
  }

  #restart(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#conversation = this.#begin();
    this.#cards.clear();
    this.#log.replaceChildren(
      h(
        "p",
        { class: "empty" },
        "Bring a model of your own, and it can call the tools of the servers that are open here. It asks you before each call.",
      ),
    );
    this.#drawState();
  }

  #say(): void {
    const text = this.#text.value.trim();
    if (text === "" || this.#running !== undefined) return;
    if (this.#model.settings === undefined) return this.#model.ask();
    this.#text.value = "";
    this.#log.querySelector(":scope > .empty")?.remove();
    this.#add("you", h("div", { class: "block" }, text));
    this.#conversation.turns.push({ role: "user", text });
    void this.#run(); // Never rejects.
  }

  async #run(): Promise<void> {
    const conversation = this.#conversation;
    const running = new AbortController();
    this.#running = running;
    this.#log.querySelector(".again")?.remove();
    this.#drawState();
    try {
      this.#offered = offer(await this.#sources(running.signal));
      if (!(await conversation.run(running.signal)))
        this.#offerAgain(`The model was stopped after ${MAX_ROUNDS} rounds of calls.`, "Continue");
    } catch (error) {
      if (conversation !== this.#conversation) return; // There is a new one.
      if (running.signal.aborted) this.#offerAgain("You stopped this.", "Continue");
      else this.#offerAgain(failureBlock(error), "Try again");
    } finally {
      if (this.#running === running) this.#running = undefined;
      this.#drawState();
    }
  }

  /** A list that is still loading is waited for, as long as the person waits; one that cannot be had offers nothing. */
  async #sources(signal: AbortSignal): Promise<Source[]> {
    const servers = this.#app.servers.value.filter(
      (server) => server.description !== undefined && !this.#left.has(server),
    );
    const sources = servers.map((server) => {
      server.tools.ensure();
      return new Promise<Source>((resolve) => {
        server.tools.state.watch(({ phase, items }) => {
          if (phase === "ready" || phase === "failed")
            resolve({ name: nameAmong(server, servers), tools: items, server });
        }, signal);
        signal.addEventListener("abort", () => resolve({ name: "", tools: [], server }));
      });
    });
    const all = await Promise.all(sources);
    signal.throwIfAborted();
    return all;
  }

  async #call({ id, name }: ModelCall, args: JsonObject, signal: AbortSignal): Promise<CheckedToolResult | undefined> {
    const offered = this.#offered.get(name);
    if (offered === undefined) return undefined;
    const { tool, source } = offered;
    const card = this.#cards.get(id);
    card?.say("Waiting for you");
    if (!(await approve({ server: source.server, tool, args, asker: "The model", signal }))) return undefined;
    card?.say("Running");
    const onProgress = ({ message, progress }: { message?: string | undefined; progress: number }): void =>
      card?.say(`Running: ${message ?? progress}`);
    const result = await source.server.client.callTool(tool.name, args, { signal, onProgress });
    card?.show(resultView(result));
    return result;
  }

  #showReply({ text, calls, cut, usage }: Reply): void {
    if (text !== "") this.#add("model", markdown(text));
    for (const call of calls) {
      const offered = this.#offered.get(call.name);
      const card = new Card(call, offered && `${offered.tool.title ?? offered.tool.name} · ${offered.source.name}`);
      this.#cards.set(call.id, card);
      this.#add("call", card.element);
    }
    if (cut) this.#add("note", h("p", { class: "hint" }, "The model ran into the longest reply that it may give."));
    if (usage !== undefined) this.#usage = `${usage[0]} tokens read, ${usage[1]} written. `;
  }

  #usage = "";

  #offerAgain(reason: string | HTMLElement, label: string): void {
    const again = button(label, () => void this.#run()); // Never rejects.
    this.#add("again", h("div", { class: "actions" }, reason, again));
  }

  #add(kind: string, ...children: HTMLElement[]): void {
    this.#log.append(h("div", { class: `turn ${kind}` }, ...children));
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #drawServers(): void {
    const boxes = this.#app.servers.value.map((server) => {
      const box = h("input", { type: "checkbox" });
      box.checked = !this.#left.has(server);
      box.addEventListener("change", () => (box.checked ? this.#left.delete(server) : this.#left.add(server)));
      return h("label", { class: "check" }, box, nameAmong(server, this.#app.servers.value));
    });
    this.#servers.replaceChildren(h("legend", { class: "hint" }, "Tools of"), ...boxes);
  }

  #drawState(): void {
    const running = this.#running !== undefined;
    this.#send.disabled = running;
    this.#stop.disabled = !running;
    this.#state.textContent = running ? "Working" : this.#usage;
  }
}

/** With the address where the name alone would not tell which. */
function nameAmong(server: Server, servers: readonly Server[]): string {
  const { host, pathname } = new URL(server.settings.url);
  const isOne = servers.every((other) => other === server || other.name !== server.name);
  return isOne ? server.name : `${server.name} ${host}${pathname}`;
}

/** One call of the model's, as it goes. */
class Card {
  readonly element: HTMLElement;
  readonly #state = h("span", { class: "state" }, "Asked for");
  readonly #result = h("div", {});

  constructor({ name, args }: ModelCall, title = name) {
    this.element = h("details", {}, h("summary", {}, title, " ", this.#state), jsonView(args ?? null), this.#result);
  }

  say(text: string): void {
    this.#state.textContent = text;
  }

  show(result: HTMLElement): void {
    this.#result.replaceChildren(result);
  }

  end({ text, failed }: CallOutcome): void {
    this.#state.textContent = failed ? "Failed" : "Done";
    this.#state.dataset["tone"] = failed ? "bad" : "ok";
    if (!this.#result.hasChildNodes()) this.#result.replaceChildren(h("div", { class: "block" }, text));
  }
}
