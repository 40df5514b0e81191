/**
 * One tool: what it is, a form for its arguments, and what came of calling it.
 */
import type { JsonObject, Tool } from "../../src/client.ts";
import { box, button, copyButton, h, jsonText } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import { detailHead } from "../resources/described.ts";
import { jsonView } from "../results/json-view.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { approve } from "./approval.ts";
import { codesOf, headersOf, LANGUAGES } from "./code.ts";
import type { PastCall } from "./history.ts";
import { runView } from "./run.ts";
import { chipsOf, mirroredOf, titleOf } from "./tool-facts.ts";

export interface ToolView extends DetailView {
  /** All that the server said of the tool. */
  readonly said: string;
  isRunning(): boolean;
  fill(args: JsonObject): void;
  /** Calls it with what is filled in, after the questions that this takes. */
  run(): void;
  cancel(): void;
}

export function toolView(server: Server, tool: Tool, remember: (call: PastCall) => void): ToolView {
  const { name, inputSchema } = tool;
  const { heading, head } = detailHead(name, { ...tool, title: titleOf(tool) });
  const form = schemaForm({ ...inputSchema }, { json: true });
  const run = runView();
  const call = h("button", { class: "primary" }, "Call");
  const cancel = button("Cancel", () => running?.abort(), "");
  const reason = h("p", { class: "hint", role: "status" });
  const mirrored = h("p", { class: "hint" });
  let running: AbortController | undefined;
  /** Whether who calls was told that the server would refuse this. */
  let isWarned = false;

  // Not `disabled`: that would lose the focus to the top of the page.
  const busy = (now: AbortController | undefined): void => {
    running = now;
    call.ariaDisabled = String(now !== undefined);
    cancel.ariaDisabled = String(now === undefined);
  };
  const changed = (): void => {
    isWarned = false;
    reason.textContent = "";
    const headers = mirroredOf(tool, form.read());
    mirrored.replaceChildren(headers.length > 0 ? "Also sent as a header: " : "", ...headers);
  };
  const start = async (): Promise<void> => {
    if (running !== undefined) return;
    const args = form.read();
    if (!isWarned && form.problems().length > 0) {
      isWarned = true;
      reason.textContent = "Not what the schema says. Call again to send it anyway.";
      return;
    }
    const own = new AbortController();
    const { signal } = own;
    busy(own);
    if (await approve({ server, tool, args, signal })) {
      const verdict = await run.follow(() => server.client.callTool(name, args, { signal, onProgress: run.progress }));
      remember({ name, args, verdict });
    }
    busy(undefined);
  };
  const code = LANGUAGES.map((language) =>
    copyButton(`Copy as ${language}`, () => {
      const { url, headers } = server.settings;
      const signedIn = server.auth?.principal?.() === undefined ? {} : { authorization: "" };
      const secret = Object.keys({ ...signedIn, ...headers });
      const args = form.read();
      return codesOf({ url, name, args, headers: headersOf(tool, args), secret })[language];
    }),
  );
  const details = h(
    "details",
    { class: "card" },
    h("summary", {}, "Code and schemas"),
    box("bar", ...code),
    jsonView(tool),
  );
  const card = h(
    "form",
    { class: "card", novalidate: true },
    form.element,
    mirrored,
    h("div", { class: "actions" }, call, cancel, h("span", { class: "hint" }, "Ctrl + Enter")),
    reason,
  );
  card.addEventListener("submit", (event) => {
    event.preventDefault();
    void start();
  });
  card.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) card.requestSubmit();
  });
  head.append(h("p", { class: "chips" }, ...chipsOf(tool)));
  form.onChange(changed);
  changed();
  busy(undefined);
  return {
    said: jsonText(tool),
    heading,
    element: h("article", { class: "tool" }, head, card, run.element, details),
    isRunning: () => running !== undefined,
    fill: (args) => form.write(args),
    run: () => void start(),
    cancel: () => running?.abort(),
  };
}
