/**
 * The command palette, and the page's keyboard shortcuts: it shows the keys of what it lists, and switches single ones off.
 *
 * Contract: Enter does what comes first of what was found, and the arrows lead to all of it.
 */
import type { App } from "../app.ts";
import { knownServers } from "../connect/saved-servers.ts";
import { asText, button, h } from "../dom.ts";
import { readStored, writeStored } from "../storage.ts";
import { ENTRIES } from "./navigation.ts";

interface Command {
  readonly label: string;
  /** What it is, and what else it goes by. */
  readonly kind: string;
  readonly run: () => void;
}

const MAX_SHOWN = 12;
const STORED = "shortcuts-off";
const LISTS = ["tools", "prompts", "resources"] as const;

function commandsOf(app: App): Command[] {
  const server = app.current.value;
  const isOff = areKeysOff();
  return [
    ...ENTRIES.map(({ section, label }) => ({ label, kind: `go to · g ${section[0]}`, run: () => app.go(section) })),
    { label: "Search the list", kind: "/", run: searchList },
    {
      label: `Single keys ${isOff ? "on" : "off"}`,
      kind: "action",
      run: () => writeStored(STORED, isOff ? undefined : true),
    },
    { label: "Reconnect", kind: "action", run: () => void server.connect() }, // Never rejects: it becomes the status.
    ...knownServers(app).map(({ name, settings }) => ({
      label: name,
      kind: `server ${settings.url}`,
      run: () => void app.open(settings),
    })),
    ...LISTS.flatMap((section) =>
      server[section].state.value.items.map((item) => {
        const key = "uri" in item ? item.uri : item.name;
        return {
          label: asText(item.title ?? item.name),
          kind: `${section.slice(0, -1)} ${key}`,
          run: () => app.go(section, key),
        };
      }),
    ),
  ];
}

export function openPalette(app: App): void {
  if (document.querySelector("dialog[open]") !== null) return;
  const list = h("ul", {});
  const input = h("input", { "aria-label": "Search", placeholder: "Where to, or what to do" });
  const status = h("p", { class: "hint", role: "status" });
  const dialog = h("dialog", { class: "palette", "aria-label": "Search" }, input, list, status);
  const draw = (): void => {
    // Who walks through what was found keeps it, also when more has come.
    if (list.contains(document.activeElement)) return;
    const words = input.value.toLowerCase().split(" ");
    const found = commandsOf(app).filter(({ label, kind }) =>
      words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)),
    );
    const rows = found.slice(0, MAX_SHOWN).map(({ label, kind, run }) => {
      const row = button(`${label} `, () => {
        dialog.close();
        run();
      });
      row.append(h("span", { class: "hint" }, kind));
      return h("li", {}, row);
    });
    list.replaceChildren(...rows);
    status.textContent = rows.length === 0 ? "Nothing matches." : "";
  };
  input.addEventListener("input", draw);
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key];
    const stops = [input, ...list.querySelectorAll("button")];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    if (step === undefined || event.isComposing || (step === 0 && at > 0)) return;
    event.preventDefault();
    if (step === 0) stops[1]?.click();
    else stops.at((at + step) % stops.length)?.focus();
  });
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  const stops = LISTS.map((name) => {
    const wanted = app.current.value[name];
    if (app.current.value.description !== undefined) wanted.ensure();
    return wanted.state.watch(draw);
  });
  dialog.addEventListener("close", () => {
    for (const stop of stops) stop();
    dialog.remove();
  });
}

/** Listens for shortcuts as long as the page lives. */
export function listenForShortcuts(app: App): void {
  let wasG = false;
  document.addEventListener("keydown", (event) => {
    const { key, target, altKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && key.toLowerCase() === "k") {
      event.preventDefault();
      return openPalette(app);
    }
    // Single keys are for those who do not type, and can be switched off (WCAG 2.1.4).
    const isTyping = target instanceof HTMLElement && target.matches("input, textarea, select, dialog *");
    if (isCommand || altKey || isTyping || areKeysOff()) return;
    const place = wasG && ENTRIES.find(({ section }) => section[0] === key);
    wasG = key === "g";
    if (place) app.go(place.section);
    else if (key === "/") {
      event.preventDefault();
      searchList();
    }
  });
}

function searchList(): void {
  document.querySelector<HTMLElement>("main [data-search]")?.focus();
}

function areKeysOff(): boolean {
  return readStored(STORED, (value): value is true => value === true) === true;
}
