/**
 * The command palette, and the page's keyboard shortcuts.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
import type { App } from "../app.ts";
import { openDialog } from "../dialog.ts";
import { freshId, h } from "../dom.ts";
import { savedServers } from "../connect/saved-servers.ts";
import type { SectionName } from "../route.ts";
import { readStored, writeStored } from "../storage.ts";
import { ENTRIES } from "./navigation.ts";

interface Command {
  readonly label: string;
  readonly kind: string;
  readonly run: () => void;
}

const MAX_SHOWN = 12;
const STORED = "shortcuts-off";

function commandsOf(app: App): Command[] {
  const server = app.current.value;
  const { tools, resources, prompts } = server;
  const opened = app.servers.value.map(({ settings }) => settings);
  const saved = savedServers().filter(({ url }) => !opened.some((one) => one.url === url));
  const go = (section: SectionName, kind: string, label: string, key: string): Command => ({
    label,
    kind,
    run: () => app.go(section, key),
  });
  return [
    ...ENTRIES.map(({ section, label }) => ({ label, kind: "go to", run: () => app.go(section) })),
    ...tools.state.value.items.map(({ name }) => go("tools", "tool", name, name)),
    ...prompts.state.value.items.map(({ name }) => go("prompts", "prompt", name, name)),
    ...resources.state.value.items.map(({ uri }) => go("resources", "resource", uri, uri)),
    ...[...opened, ...saved].map((settings) => ({
      label: settings.label ?? settings.url,
      kind: "server",
      run: () => void app.open(settings),
    })),
    { label: "Reconnect", kind: "do", run: () => void server.connect() }, // Never rejects: it becomes the status.
    { label: "Listen again for changes", kind: "do", run: () => server.feed.start() },
    { label: "Shortcuts", kind: "show", run: () => void showShortcuts() }, // Never rejects.
  ];
}

export function openPalette(app: App): void {
  if (document.querySelector("dialog[open]") !== null) return;
  const listId = freshId();
  const list = h("ul", { id: listId, role: "listbox", "aria-label": "Commands" });
  const input = h("input", {
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": listId,
    "aria-label": "Search",
    autocomplete: "off",
    placeholder: "Where to, or what to do",
  });
  const dialog = h("dialog", { class: "palette", "aria-label": "Search" }, input, list);
  let shown: readonly Command[] = [];
  let at = 0;
  const mark = (): void => {
    for (const [index, option] of [...list.children].entries())
      option.setAttribute("aria-selected", String(index === at));
    const option = list.children[at];
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option?.id ?? "");
  };
  const run = (index: number): void => {
    dialog.close();
    shown[index]?.run();
  };
  const draw = (): void => {
    const typed = input.value.trim().toLowerCase();
    shown = commandsOf(app)
      .filter(({ label, kind }) => isLoosely(`${kind} ${label}`.toLowerCase(), typed))
      .slice(0, MAX_SHOWN);
    at = 0;
    list.replaceChildren(
      ...shown.map(({ label, kind }, index) => {
        const option = h(
          "li",
          { role: "option", id: freshId() },
          h("span", {}, label),
          h("span", { class: "hint" }, kind),
        );
        option.addEventListener("click", () => run(index));
        return option;
      }),
    );
    mark();
  };
  input.addEventListener("input", draw);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) {
      event.preventDefault();
      at = (at + step + shown.length) % shown.length;
      mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(at);
    }
  });
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  const closed = new AbortController();
  dialog.addEventListener("close", () => {
    closed.abort();
    dialog.remove();
  });
  document.body.append(dialog);
  const { tools, prompts, resources } = app.current.value;
  for (const each of [tools, prompts, resources]) {
    each.ensure();
    each.state.watch(draw, closed.signal);
  }
  dialog.showModal();
}

/** Whether the letters are in the text, in order. */
function isLoosely(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const PLACES: Readonly<Record<string, SectionName>> = {
  t: "tools",
  r: "resources",
  p: "prompts",
  l: "listen",
  w: "wire",
  c: "chat",
  s: "servers",
};

/** Listens for shortcuts as long as the page lives. */
export function listenForShortcuts(app: App): void {
  let wasG = false;
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") {
      event.preventDefault();
      return openPalette(app);
    }
    // Single keys are for those who do not type, and can be switched off (WCAG 2.1.4).
    const isTyping = target instanceof HTMLElement && target.matches("input, textarea, select");
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping ||
      isOff() ||
      document.querySelector("dialog[open]") !== null
    )
      return;
    const place = wasG ? PLACES[key] : undefined;
    wasG = key === "g";
    if (place !== undefined) app.go(place);
    else if (key === "?") void showShortcuts(); // Never rejects.
    else if (key === "/") {
      event.preventDefault();
      document.querySelector<HTMLElement>("main [data-search]")?.focus();
    }
  });
}

function isOff(): boolean {
  return readStored(STORED, (value): value is true => value === true) === true;
}

async function showShortcuts(): Promise<void> {
  const on = h("input", { type: "checkbox" });
  on.checked = !isOff();
  on.addEventListener("change", () => writeStored(STORED, on.checked ? undefined : true));
  const places = Object.entries(PLACES).map(([key, section]) => row(`g ${key}`, section));
  await openDialog({
    title: "Shortcuts",
    body: [
      row("Ctrl K", "search for everything"),
      row("Ctrl Enter", "call the tool"),
      row("/", "search the list"),
      row("?", "this"),
      ...places,
      h("label", { class: "check" }, on, "Single keys do something"),
    ],
    actions: [{ value: "", label: "Close" }],
  });
}

function row(keys: string, what: string): HTMLElement {
  return h("p", { class: "line" }, h("kbd", {}, keys), what);
}
