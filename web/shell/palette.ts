/**
 * The command palette, and the page's keyboard shortcuts.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
import type { App } from "../app.ts";
import { clearAll, exportAll } from "../connect/local-data.ts";
import { knownServers } from "../connect/saved-servers.ts";
import { signOut } from "../connect/servers-section.ts";
import { openDialog } from "../dialog.ts";
import { asText, freshId, h } from "../dom.ts";
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
/** After `g`, in the order of the navigation. */
const PLACES = "trplwcs";

function commandsOf(app: App): Command[] {
  const server = app.current.value;
  return [
    ...ENTRIES.map(({ section, label }) => ({ label, kind: "go to", run: () => app.go(section) })),
    ...LISTS.flatMap((section) =>
      server[section].state.value.items.map((item) => {
        const key = "uri" in item ? item.uri : item.name;
        const label = asText(item.title ?? item.name);
        return { label, kind: `${section.slice(0, -1)} ${label === key ? "" : key}`, run: () => app.go(section, key) };
      }),
    ),
    ...knownServers(app).map(({ name, settings }) => ({
      label: name,
      kind: `server ${settings.url}`,
      run: () => void app.open(settings),
    })),
    act("Reconnect", () => void server.connect()), // Never rejects: it becomes the status.
    ...(server.auth.principal?.() === undefined ? [] : [act("Sign out", () => void signOut(server))]), // What fails is in the console, as below.
    act("Listen again for changes", () => server.feed.start()),
    act("Clear the wire", () => server.wire.clear()),
    act("Export what this browser keeps", exportAll),
    act("Clear everything", clearAll),
    act("Shortcuts", () => void showShortcuts()), // Never rejects.
  ];
}

function act(label: string, run: () => void): Command {
  return { label, kind: "action", run };
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
  const status = h("p", { class: "hint", role: "status" });
  const dialog = h("dialog", { class: "palette", "aria-label": "Search" }, input, list, status);
  let shown: readonly Command[] = [];
  let at = 0;
  const mark = (to: number): void => {
    at = to;
    for (const [index, option] of [...list.children].entries()) option.ariaSelected = String(index === at);
    const option = list.children[at];
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option?.id ?? "");
  };
  const run = (index: number): void => {
    dialog.close();
    shown[index]?.run();
  };
  /** @param keeps whether what is chosen stays so, as when a list has come */
  const draw = (keeps = false): void => {
    const chosen = keeps ? shown[at] : undefined;
    const typed = input.value.trim().toLowerCase();
    const texts = commandsOf(app).map(
      (command) => [`${command.kind} ${command.label}`.toLowerCase(), command] as const,
    );
    const exact = texts.filter(([text]) => text.includes(typed));
    const loose = texts.filter(([text]) => !text.includes(typed) && isLoosely(text, typed));
    shown = [...exact, ...loose].slice(0, MAX_SHOWN).map(([, command]) => command);
    list.replaceChildren(
      ...shown.map(({ label, kind }, index) => {
        const words = [h("span", {}, label), " ", h("span", { class: "hint" }, kind)];
        const option = h("li", { role: "option", id: freshId() }, ...words);
        option.addEventListener("click", () => run(index));
        return option;
      }),
    );
    status.textContent = shown.length === 0 ? "Nothing found" : "";
    mark(
      Math.max(
        0,
        shown.findIndex(({ label, kind }) => label === chosen?.label && kind === chosen.kind),
      ),
    );
  };
  input.addEventListener("input", () => draw());
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key];
    if (step === undefined || event.isComposing) return;
    event.preventDefault();
    if (step === 0) run(at);
    else if (shown.length > 0) mark((at + step + shown.length) % shown.length);
  });
  const closing = new AbortController();
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    closing.abort();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  for (const name of LISTS) {
    const wanted = app.current.value[name];
    if (app.current.value.description !== undefined) wanted.ensure();
    wanted.state.watch(() => draw(true), closing.signal);
  }
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
    if (isCommand || altKey || isTyping || isOff()) return;
    const place = wasG ? ENTRIES[PLACES.indexOf(key)] : undefined;
    wasG = key === "g";
    if (place !== undefined) app.go(place.section);
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
  const keys = {
    "Ctrl K": "Search for everything",
    "Ctrl Enter": "Call the tool",
    "/": "Search the list",
    "?": "Shortcuts",
    ...Object.fromEntries(ENTRIES.map(({ label }, index) => [`g ${PLACES[index]}`, label])),
  };
  const rows = Object.entries(keys).flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]);
  await openDialog({
    title: "Shortcuts",
    body: [h("dl", { class: "shortcuts" }, ...rows), h("label", { class: "check" }, on, "Single keys do something")],
    actions: [{ value: "", label: "Close" }],
  });
}
