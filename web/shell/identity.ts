/** Who the current server is, in the bar at the top: drawn again whenever its status is another one. */
import { byId, h, iconUri } from "../dom.ts";
import type { Server } from "../server.ts";

const STATES = {
  connecting: ["Connecting", "running"],
  ready: ["Connected", "ok"],
  failed: ["Not connected", "bad"],
} as const;

export function showIdentity({ name, description, settings, status }: Server): void {
  const info = description?.info;
  const icon = iconUri(info?.icons);
  const facts = [settings.url, info?.version].filter((text) => typeof text === "string");
  const [state, tone] = STATES[status.value.phase];
  byId("identity").replaceChildren(
    ...(icon === undefined ? [] : [h("img", { src: icon, alt: "", width: 28, height: 28 })]),
    h("span", { class: "who" }, h("h1", {}, name), h("code", { class: "hint" }, facts.join(" · "))),
    h("span", { class: "state", "data-tone": tone }, state),
  );
  document.title = `${name} · MCP`;
}
