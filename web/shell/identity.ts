/** Who the current server is, in the bar at the top. */
import { h, iconUri } from "../dom.ts";
import { hrefTo } from "../route.ts";
import type { Server } from "../server.ts";

const STATES = { connecting: "Connecting", ready: "Connected", failed: "Not connected" } as const;

export class Identity {
  readonly #icon = h("span", { class: "server-icon" });
  readonly #name = h("span", { class: "server-name" });
  readonly #version = h("span", { class: "version" });
  readonly #endpoint = h("code", { class: "endpoint" });
  readonly #state = h("span", { class: "state" });
  readonly element = h(
    "a",
    { class: "identity", href: hrefTo("servers") },
    this.#icon,
    h("span", { class: "who" }, h("h1", {}, this.#name, " ", this.#version), this.#endpoint),
    this.#state,
  );

  follow(server: Server, signal: AbortSignal): void {
    this.#endpoint.textContent = server.settings.url;
    server.status.watch((status) => {
      const info = status.phase === "ready" ? status.description.info : undefined;
      const icon = iconUri(info?.icons);
      this.#icon.replaceChildren(
        ...(icon === undefined ? [] : [h("img", { src: icon, alt: "", width: 28, height: 28 })]),
      );
      this.#name.textContent = server.name;
      this.#version.textContent = typeof info?.version === "string" ? info.version : "";
      this.#state.textContent = STATES[status.phase];
      this.#state.dataset["tone"] = { connecting: "running", ready: "ok", failed: "bad" }[status.phase];
      document.title = `${server.name} · MCP`;
    }, signal);
  }
}
