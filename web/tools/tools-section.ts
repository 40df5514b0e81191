/**
 * The tools of a server: the list, the one that is open, and what was called before.
 *
 * Contract: a tool that was opened keeps its form and its running call while one looks elsewhere, until the server describes
 * it differently.
 */
import type { Tool } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { h, jsonText } from "../dom.ts";
import { entryOf } from "../resources/described.ts";
import { hrefTo } from "../route.ts";
import { browse } from "../shell/browse.ts";
import { ListPane } from "../shell/list-pane.ts";
import { callHistory } from "./history.ts";
import { toolView, type ToolView } from "./tool-view.ts";
import { chipsOf, titleOf } from "./tool-facts.ts";

export const toolsSection: MakeSection = (server, app) => {
  const { tools, warnings } = server;
  const opened = new Map<string, ToolView>();
  const toolOf = (wanted: string): Tool | undefined => tools.state.value.items.find(({ name }) => name === wanted);
  const viewOf = (tool: Tool): ToolView => {
    const known = opened.get(tool.name);
    if (known && (known.said === jsonText(tool) || known.isRunning())) return known;
    const view = toolView(server, tool, history.add);
    opened.set(tool.name, view);
    return view;
  };
  const history = callHistory((call, run) => {
    const tool = toolOf(call.name);
    if (tool === undefined) return app.say("This tool is gone.");
    const view = viewOf(tool);
    app.go("tools", call.name);
    view.fill(call.args);
    if (run) view.run();
  });
  const pane = new ListPane<Tool>({
    title: "Tools",
    list: tools,
    none: "This server offers no tools.",
    entryOf: (tool) => ({
      ...entryOf({ ...tool, title: titleOf(tool) }, tool.name, hrefTo("tools", tool.name)),
      badge: chipsOf(tool)[0],
    }),
  });
  const left = h("ul", { class: "hint" });
  warnings.watch((messages) => left.replaceChildren(...messages.map((message) => h("li", {}, message))));
  const section = browse({
    section: "tools",
    back: "All tools",
    hint: "",
    list: [pane.element, left, history.element],
    open: ([wanted]) => {
      const { items, phase } = tools.state.value;
      const tool = wanted === undefined ? items[0] : toolOf(wanted);
      pane.select(tool?.name);
      return tool === undefined ? (phase === "ready" ? undefined : "") : viewOf(tool);
    },
    keepsViews: true,
  });
  tools.state.watch(() => section.again());
  return {
    ...section,
    close: () => {
      for (const view of opened.values()) view.cancel();
    },
  };
};
