/** What goes over the wire, as it goes: a list of exchanges, one of them in full, and files of what the list shows. */
import type { MakeSection } from "../app.ts";
import { button, h, saveFile } from "../dom.ts";
import { hrefTo } from "../route.ts";
import { CLIENT_INFO } from "../server.ts";
import type { WireExchange } from "./exchange.ts";
import { exchangeView, type ExchangeView } from "./exchange-view.ts";
import { harOf } from "./har.ts";
import { jsonLinesOf } from "./text-forms.ts";
import { WireList } from "./wire-list.ts";

const MAX_KINDS = 50;

export const wireSection: MakeSection = ({ wire }, app) => {
  const list = new WireList();
  const search = h("input", { type: "search", "aria-label": "Filter", placeholder: "Filter" });
  const kinds = h(
    "select",
    { "aria-label": "Kind" },
    h("option", { value: "" }, "All kinds"),
    h("option", { value: "errors" }, "Errors only"),
  );
  const count = h("span", { role: "status" });
  const detail = h("div", { class: "detail" });
  const titles = new Set<string>();
  let shown: WireExchange[] = [];
  let selected = 0;
  let view: ExchangeView | undefined;
  let stop: (() => void) | undefined;

  const draw = (): void => {
    const { value: exchanges } = wire.exchanges;
    for (const { title } of exchanges) {
      if (titles.has(title) || titles.size >= MAX_KINDS) continue;
      titles.add(title);
      kinds.append(h("option", {}, title));
    }
    shown = list.draw(exchanges, { text: search.value.trim(), kind: kinds.value }, selected);
    const none = search.value === "" && kinds.value === "" ? "Nothing was sent yet." : "Nothing matches.";
    const some = shown.length === exchanges.length ? `${shown.length} kept` : `${shown.length} of ${exchanges.length}`;
    const text = shown.length === 0 ? none : some;
    if (count.textContent !== text) count.textContent = text;
    view?.update();
  };
  const save = (name: string, text: () => string) => (): void => {
    if (shown.length === 0) app.say("There is nothing to save.");
    else saveFile(name, text());
  };
  search.addEventListener("input", draw);
  kinds.addEventListener("change", draw);
  const pause = button("Pause", () => {
    wire.paused = !wire.paused;
    pause.ariaPressed = `${wire.paused}`;
  });
  pause.ariaPressed = `${wire.paused}`;
  const bar = h(
    "div",
    { class: "bar" },
    pause,
    button("Clear", () => wire.clear()),
    button(
      "Save HAR",
      save("wire.har", () => JSON.stringify(harOf(shown, CLIENT_INFO.version), null, 1)),
    ),
    button(
      "Save JSONL",
      save("wire.jsonl", () => jsonLinesOf(shown)),
    ),
  );
  const element = h(
    "div",
    { class: "split", "data-open": "false" },
    h("div", { class: "list" }, h("h2", {}, "Wire ", count), bar, search, kinds, list.element),
    detail,
  );

  return {
    element,
    show([part]) {
      selected = Number(part);
      element.dataset["open"] = `${part !== undefined}`;
      const exchange = wire.exchanges.value.find(({ number }) => number === selected);
      const hint =
        part === undefined ? "Choose an exchange to see all of it." : `Exchange ${part} is not kept, or not any more.`;
      view = exchange && exchangeView(exchange);
      detail.replaceChildren(
        h("a", { class: "back", href: hrefTo("wire") }, "Wire"),
        view?.element ?? h("p", { class: "empty large" }, hint),
      );
      stop ??= wire.exchanges.watch(draw);
      draw();
      return view?.heading;
    },
    hide() {
      stop?.();
      stop = undefined;
    },
  };
};
