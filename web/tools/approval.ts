/**
 * Asks the person before something is called that may change things.
 *
 * Contract: what is shown is what will be sent. Annotations are the server's word: they spare the person a question about
 * what they asked for themselves, and no other; so does what they allowed before. A tool whose description changed in any
 * way since it was allowed is asked about again; so is one that is called as somebody else who signed in.
 *
 * @see spec 2026-07-28 server/tools#security-considerations
 */
import type { JsonObject, Tool } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { openDialog } from "../dialog.ts";
import { h, jsonText } from "../dom.ts";
import type { Server } from "../server.ts";
import { readStored, writeStored } from "../storage.ts";
import { chipsOf, mirroredOf, titleOf } from "./tool-facts.ts";

export interface PlannedCall {
  readonly server: Server;
  readonly tool: Tool;
  readonly args: JsonObject;
  /** Who wants it: the person themselves when undefined. */
  readonly asker?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const STORED = "approved";
/** The browser keeps little, and tokens beside this. */
const MAX_SAID = 100_000;

/** @returns whether it may be called */
export async function approve({ server, args, asker, signal, ...call }: PlannedCall): Promise<boolean> {
  const asItIs = (): Tool => server.tools.state.value.items.find(({ name }) => name === call.tool.name) ?? call.tool;
  const tool = asItIs();
  const isOwn = asker === undefined;
  if (isOwn && tool.annotations?.readOnlyHint === true) return true;
  const { url, headers } = server.settings;
  const key = `${url} ${tool.name}`;
  const stored = isOwn ? readStored(STORED, isObject) : {};
  const said = jsonText([tool, Object.keys(headers ?? {}), server.auth?.principal?.()]);
  // An ellipsis stands for what cannot be written, so it cannot be compared either.
  if (said !== "…" && stored?.[key] === said) return true;
  const always = h("input", { type: "checkbox" });
  const answer = await openDialog({
    eyebrow: `${asker ?? "You"} · ${server.name}`,
    title: `Call ${titleOf(tool)}?`,
    body: [
      h("p", {}, "This will be sent to ", h("code", {}, url), ". The hints are the server's own."),
      h("div", { class: "chips" }, h("code", {}, tool.name), ...chipsOf(tool)),
      // All of it, with nothing folded.
      h("pre", { tabindex: 0 }, jsonText(args, 2)),
      ...mirroredOf(tool, args),
      isOwn && h("label", { class: "check" }, always, "Do not ask again, until it is described differently"),
    ],
    actions: [
      // First, since Enter in the box is a click on the first.
      { value: "", label: "Do not call" },
      { value: "call", label: "Call", tone: "primary" },
    ],
    signal,
  });
  if (answer !== "call") return false;
  // What was shown is not what it is any more.
  if (jsonText(asItIs()) !== jsonText(tool)) return approve({ server, args, asker, signal, ...call });
  if (always.checked && said.length < MAX_SAID) writeStored(STORED, { ...stored, [key]: said });
  return true;
}

/** For a server that is called with other headers from now on. */
export function forgetApproved(url: string): void {
  const kept = Object.entries(readStored(STORED, isObject) ?? {}).filter(([key]) => !key.startsWith(`${url} `));
  writeStored(STORED, Object.fromEntries(kept));
}
