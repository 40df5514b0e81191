/**
 * The tools of a server: the list, the one that is open, and what was called before.
 *
 * Contract: a tool that was opened keeps its form and its running call while one looks elsewhere, until the server describes
 * it differently.
 */
import type { Tool } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { asText, h, iconUri } from "../dom.ts";
import { hrefTo } from "../route.ts";
import { ListPane } from "../shell/list-pane.ts";
import { History } from "./history.ts";
import { ToolView } from "./tool-view.ts";
import { chipsOf, titleOf } from "./tool-facts.ts";

/** Of those that nothing runs in. */
const MAX_VIEWS = 20;

export const toolsSection: MakeSection = (server, app) => {
  const { tools, warnings } = server;
  const views = new Map<string, { readonly said: string; readonly view: ToolView }>();
  const history = new History(server.settings.url, (call, run) => {
    const tool = tools.state.value.items.find(({ name }) => name === call.name);
    if (tool === undefined) return app.say("The server has no such tool any more.");
    const view = viewOf(tool);
    view.fill(call.args);
    app.go("tools", call.name);
    if (run) view.run();
  });
  const pane = new ListPane<Tool>({
    title: "Tools",
    list: tools,
    none: "This server offers no tools.",
    entryOf: (tool) => ({
      key: tool.name,
      href: hrefTo("tools", tool.name),
      title: titleOf(tool),
      hint: asText(tool.description),
      icon: iconUri(tool.icons),
      badge: chipsOf(tool)[0],
    }),
  });
  const left = h("ul", { class: "hint warnings" });
  warnings.watch((messages) => left.replaceChildren(...messages.map((message) => h("li", {}, message))));
  const detail = h("div", {});
  const element = h(
    "div",
    { class: "split" },
    h("div", { class: "list" }, pane.element, left, history.element),
    h("div", { class: "detail" }, h("a", { class: "back", href: hrefTo("tools") }, "All tools"), detail),
  );
  let wanted: string | undefined;
  let shown: ToolView | undefined;

  const viewOf = (tool: Tool): ToolView => {
    const said = JSON.stringify(tool);
    const known = views.get(tool.name);
    views.delete(tool.name);
    const view =
      known?.said === said || known?.view.isRunning === true
        ? known.view
        : new ToolView(server, tool, (call) => history.add(call));
    views.set(tool.name, { said, view });
    for (const [name, other] of views) if (views.size > MAX_VIEWS && !other.view.isRunning) views.delete(name);
    return view;
  };
  const draw = (): void => {
    const { items, phase } = tools.state.value;
    const isWide = matchMedia("(min-width: 52rem)").matches;
    const tool = wanted === undefined ? (isWide ? items[0] : undefined) : items.find(({ name }) => name === wanted);
    element.dataset["open"] = String(wanted !== undefined);
    pane.select(tool?.name);
    if (tool !== undefined) {
      const view = viewOf(tool);
      if (view !== shown) detail.replaceChildren(view.element);
      shown = view;
      return;
    }
    shown = undefined;
    const settled = phase === "ready" || phase === "failed";
    const missing = wanted === undefined ? "" : `There is no tool “${wanted}”.`;
    detail.replaceChildren(
      settled ? h("p", { class: "empty large" }, missing) : h("p", { class: "empty large" }, "Loading…"),
    );
  };
  tools.state.watch(draw);
  return {
    element,
    show(path) {
      [wanted] = path;
      draw();
      return shown === undefined ? (pane.element.querySelector("h2") ?? undefined) : shown.heading;
    },
    close: () => {
      for (const { view } of views.values()) view.close();
    },
  };
};
