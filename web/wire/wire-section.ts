/** What goes over the wire, as it goes: a list of calls, one of them in full, and files of all that is kept. */
import type { MakeSection } from "../app.ts";
import { asText, box, button, h, saveFile } from "../dom.ts";
import { hrefTo } from "../route.ts";
import { CLIENT_INFO } from "../server.ts";
import { ServerList } from "../server-list.ts";
import { browse } from "../shell/browse.ts";
import { ListPane } from "../shell/list-pane.ts";
import { callView } from "./call-view.ts";
import type { WireExchange } from "./exchange.ts";
import { harOf, jsonLinesOf } from "./exports.ts";

export const wireSection: MakeSection = ({ wire }) => {
  const { exchanges: log } = wire;
  const callOf = ({ call }: WireExchange): WireExchange[] => log.value.filter((other) => other.call === call);
  /** The first exchange that is kept of each call, newest first. */
  const calls = new ServerList(async () => log.value.filter((each) => callOf(each)[0] === each).toReversed());
  const pane = new ListPane({
    title: "Wire",
    list: calls,
    none: "Nothing was sent yet.",
    entryOf(first) {
      const { number, title, name, startedAt } = first;
      const call = callOf(first);
      const { status, failure, endedAt } = call.at(-1) ?? first;
      const outcome = [status, failure && asText(failure.code).replace("_", " ")].filter(Boolean).join(" ");
      const took = call.length > 1 ? `${call.length} requests` : endedAt === undefined ? "open" : `${endedAt} ms`;
      return {
        key: `${number}`,
        href: hrefTo("wire", `${number}`),
        title: `${title} ${name}`,
        hint: `#${number} · ${new Date(startedAt).toLocaleTimeString()} · ${took}`,
        badge: h("span", { class: failure === undefined ? "chip" : "chip alarm" }, outcome),
        text: () =>
          call.map(({ requestBody, received }) => requestBody + received.map(({ text }) => text).join()).join(),
      };
    },
  });
  const bar = box(
    "bar",
    button("Clear", () => wire.clear()),
    button("Save HAR", () => saveFile("wire.har", JSON.stringify(harOf(log.value, CLIENT_INFO)))),
    button("Save JSONL", () => saveFile("wire.jsonl", jsonLinesOf(log.value))),
  );
  pane.element.firstElementChild?.after(bar);
  let drawn = "";
  // Most of what comes changes nothing in the list, and rows that are drawn anew cannot be clicked just then.
  log.watch((exchanges) => {
    const now = exchanges.map(({ number, status, endedAt }) => [number, status, endedAt]).join();
    if (now !== drawn) calls.refresh();
    drawn = now;
  });
  return browse({
    section: "wire",
    back: "Wire",
    hint: "Choose a request.",
    list: [pane.element],
    select: (key) => pane.select(key),
    open([number]) {
      const chosen = log.value.find((exchange) => `${exchange.number}` === number);
      return chosen && callView(log, chosen);
    },
  });
};
