/**
 * One tool: what it is, a form for its arguments, and what came of calling it.
 */
import type { JsonObject, LogLevel, Tool } from "../../src/client.ts";
import { button, copyButton, h, iconUri, jsonText } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import { detailHead } from "../resources/described.ts";
import { jsonView } from "../results/json-view.ts";
import { hrefTo } from "../route.ts";
import type { Server } from "../server.ts";
import type { DetailView } from "../shell/browse.ts";
import { approve } from "./approval.ts";
import { codeOf, headersOf, LANGUAGES } from "./code.ts";
import type { PastCall } from "./history.ts";
import { runView } from "./run.ts";
import { chipsOf, mirroredOf, titleOf } from "./tool-facts.ts";

export interface ToolView extends DetailView {
  isRunning(): boolean;
  fill(args: JsonObject): void;
  /** Calls it with what is filled in, after the questions that this takes. */
  run(): void;
  cancel(): void;
}

const LEVELS = ["debug", "info", "notice", "warning", "error"] as const satisfies readonly LogLevel[];
const MAX_PREVIEW = 500;

export function toolView(server: Server, tool: Tool, remember: (call: PastCall) => void): ToolView {
  const { name, inputSchema, outputSchema, _meta } = tool;
  const { heading, head } = detailHead(name, { ...tool, title: titleOf(tool) });
  const icon = iconUri(tool.icons);
  const form = schemaForm({ ...inputSchema }, { json: true });
  const run = runView();
  const call = h("button", { class: "primary" }, "Call");
  const cancel = button("Cancel", () => running?.abort("by the person"), "");
  const anyway = button("Call anyway", () => {
    call.focus(); // This one goes.
    void start(true); // Never rejects: every failure is shown.
  });
  const reason = h("p", { class: "hint", role: "status" });
  const mirrored = h("p", { class: "hint" });
  const onWire = h("a", { hidden: true }, "Show on the wire");
  const level = h(
    "select",
    { "aria-label": "Log messages" },
    h("option", { value: "" }, "no log"),
    ...LEVELS.map((each) => h("option", {}, each)),
  );
  let running: AbortController | undefined;
  let looking = new AbortController();

  const refused = (why: string): void => {
    reason.textContent = why;
    anyway.hidden = why === "";
  };
  // Not `disabled`: that would lose the focus to the top of the page.
  const busy = (now: AbortController | undefined): void => {
    running = now;
    call.ariaDisabled = String(now !== undefined);
    cancel.ariaDisabled = String(now === undefined);
  };
  const changed = (): void => {
    refused("");
    const headers = mirroredOf(tool, form.read());
    mirrored.hidden = headers.length === 0;
    mirrored.replaceChildren("Also sent as a header: ", ...headers);
  };
  /** Links to the next request for this tool as soon as it is noted. */
  const lookForIt = (): void => {
    const since = Date.now();
    looking.abort();
    looking = new AbortController();
    onWire.hidden = true;
    server.wire.exchanges.watch((exchanges) => {
      const sent = exchanges.find((exchange) => exchange.startedAt >= since && exchange.name === name);
      if (sent === undefined) return;
      looking.abort();
      onWire.href = hrefTo("wire", String(sent.number));
      onWire.hidden = false;
    }, looking.signal);
  };
  const start = async (isAnyway: boolean): Promise<void> => {
    if (running !== undefined) return;
    const args = form.read();
    if (!isAnyway && form.problems().length > 0)
      return refused(
        `The server would refuse this, for the reasons above. Would be sent: ${jsonText(args).slice(0, MAX_PREVIEW)}`,
      );
    refused("");
    const own = new AbortController();
    const { signal } = own;
    busy(own);
    let past: PastCall | undefined;
    if (await approve({ server, tool, args, signal })) {
      lookForIt();
      const logLevel = LEVELS.find((each) => each === level.value);
      const options = { signal, onProgress: run.progress, ...(logLevel && { logLevel, onLog: run.log }) };
      const verdict = await run.follow(() => server.client.callTool(name, args, options));
      past = { at: Date.now(), name, args, verdict };
    }
    busy(undefined);
    if (past !== undefined) remember(past);
  };
  const code = LANGUAGES.map((language) =>
    copyButton(`Copy as ${language}`, () => {
      const { url, headers } = server.settings;
      const signedIn = server.auth.principal?.() === undefined ? {} : { authorization: "" };
      const secret = Object.keys({ ...signedIn, ...headers });
      const args = form.read();
      return codeOf(language, { url, name, args, headers: headersOf(tool, args), secret });
    }),
  );
  const schemas = Object.entries({ "Input schema": inputSchema, "Output schema": outputSchema, _meta });
  const details = h(
    "details",
    { class: "card" },
    h("summary", {}, "Code and schemas"),
    h("div", { class: "actions" }, ...code),
    ...schemas.flatMap(([title, value]) => (value === undefined ? [] : [h("h3", {}, title), jsonView(value)])),
  );
  const card = h(
    "form",
    { class: "card", novalidate: true },
    form.element,
    mirrored,
    h("div", { class: "actions" }, call, cancel, anyway, level, h("span", { class: "hint keys" }, "Ctrl + Enter")),
    reason,
  );
  card.addEventListener("submit", (event) => {
    event.preventDefault();
    void start(false);
  });
  card.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) card.requestSubmit();
  });
  if (icon !== undefined) head.prepend(h("img", { src: icon, alt: "", width: 32, height: 32 }));
  head.append(h("p", { class: "chips" }, ...chipsOf(tool)));
  run.element.append(onWire);
  form.onChange(changed);
  changed();
  busy(undefined);
  return {
    heading,
    element: h("article", { class: "tool" }, head, card, run.element, details),
    isRunning: () => running !== undefined,
    fill: (args) => form.write(args),
    run: () => void start(false),
    cancel: () => running?.abort(),
  };
}
