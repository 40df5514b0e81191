/**
 * The chat, one for all servers: a conversation between the person, a model of theirs, and the tools of what is open.
 *
 * Contract: nothing is called that the person did not see first, where it may change something.
 */
import type { CheckedToolResult, JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import type { MakeSection } from "../app.ts";
import { box, button, h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";
import { jsonView } from "../results/json-view.ts";
import { markdown } from "../results/markdown.ts";
import type { Server } from "../server.ts";
import { approve } from "../tools/approval.ts";
import { runView } from "../tools/run.ts";
import { titleOf } from "../tools/tool-facts.ts";
import { converse } from "./conversation.ts";
import { apiOf, type ModelCall } from "./model.ts";
import { chooseModel, currentModel } from "./model-choice.ts";
import { askModel } from "./model-request.ts";
import { offer, type OfferedTool, type ToolSource } from "./toolbox.ts";

interface Source extends ToolSource {
  readonly server: Server;
}

export const chatSection: MakeSection = (_server, app) => {
  const heading = h("h2", { tabindex: -1 }, "Chat");
  const log = h("div", { class: "log", role: "log", "aria-label": "Conversation", tabindex: 0 });
  const text = h("textarea", { rows: 2, "aria-label": "Message", placeholder: "Ask for something" });
  const send = h("button", { class: "primary" }, "Send");
  const state = h("div", { class: "actions", role: "status" });
  let messages: JsonObject[] = [];
  let tools = new Map<string, OfferedTool<Source>>();
  let running: AbortController | undefined;

  const busy = (now: AbortController | undefined, ...shown: readonly (HTMLElement | string)[]): void => {
    running = now;
    send.ariaDisabled = String(now !== undefined);
    state.replaceChildren(...shown);
  };
  const add = (turn: HTMLElement): void => {
    log.append(turn);
    log.scrollTop = log.scrollHeight;
  };
  const stop = (): void => {
    text.focus(); // This button goes.
    running?.abort(Object.assign(new Error("The user stopped this."), { code: "aborted" }));
  };
  const restart = (): void => {
    running?.abort();
    busy(undefined);
    messages = [];
    const intro = "Your own model, with the tools of all open servers. You are asked before each call.";
    log.replaceChildren(h("p", { class: "empty" }, intro));
  };
  const change = async (): Promise<void> => {
    if (await chooseModel()) restart(); // What was said is in the terms of one model's API.
  };
  const call = async ({ name, args }: ModelCall, signal: AbortSignal): Promise<CheckedToolResult> => {
    signal.throwIfAborted();
    const offered = tools.get(name);
    const run = runView();
    const title = h("summary", {}, offered ? `${titleOf(offered.tool)} · ${offered.source.name}` : name);
    const card = h("details", { class: "card", open: true }, title, jsonView(args), run.element);
    const planned = async (): Promise<CheckedToolResult> => {
      if (offered === undefined) throw new Error("There is no such tool.");
      if (!isObject(args)) throw new Error("The arguments have to be a JSON object.");
      const { source, tool } = offered;
      const { server } = source;
      if (!(await approve({ server, tool, args, asker: "The model", signal })))
        throw new Error("The user declined this call.");
      return server.client.callTool(tool.name, args, { signal, onProgress: run.progress });
    };
    add(card);
    const result = planned();
    title.append(` · ${await run.follow(() => result)}`);
    card.open = false;
    return result;
  };
  const run = async (model: JsonObject): Promise<void> => {
    const own = new AbortController();
    const { signal } = own;
    let left: HTMLElement[] = [];
    busy(own, "Working…", button("Stop", stop, ""));
    try {
      const listed = app.servers.value.filter(({ description }) => description !== undefined);
      tools = offer(await Promise.all(listed.map((server) => sourceOf(server, signal))));
      const asked = { messages, tools: [...tools.values()].map(({ told }) => told) };
      const host = {
        ask: () => askModel(model, asked, signal),
        show: (said: string) => void (said !== "" && add(markdown(said))),
        call: (each: ModelCall) => call(each, signal),
        answer: apiOf(model).answer,
      };
      await converse(messages, host, signal);
    } catch (error) {
      const again = (): void => {
        text.focus(); // This button goes.
        void run(model); // Never rejects.
      };
      left = [failureBlock(error), button("Continue", again, "")];
    }
    if (running === own) busy(undefined, ...left); // Otherwise there is a new conversation.
  };
  const say = async (): Promise<void> => {
    const said = text.value.trim();
    if (said === "" || running !== undefined) return;
    const model = await currentModel();
    if (model === undefined) return;
    text.value = "";
    add(box("block you", said));
    messages.push({ role: "user", content: said });
    await run(model);
  };
  const form = h("form", { class: "card" }, text, box("actions", send, state));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void say(); // Never rejects.
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  restart();
  const bar = box(
    "actions",
    heading,
    button("Model", () => void change(), ""), // Never rejects.
    button("New conversation", restart, ""),
  );
  return { element: h("section", { class: "tool chat" }, bar, log, form), show: () => heading };
};

/** A list that is still loading is waited for, as long as the person waits; one that cannot be had offers nothing. */
function sourceOf(server: Server, signal: AbortSignal): Promise<Source> {
  const { name, tools } = server;
  tools.ensure();
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error)); // As `stop` made it.
    tools.state.watch(({ phase, items }) => {
      if (phase === "ready" || phase === "failed") resolve({ name, tools: items, server });
    }, signal);
  });
}
