/**
 * Which directories a server may know of. Asked once for each server and visit, before the first is shared.
 *
 * @see spec 2026-07-28 client/roots
 */
import type { JsonObject } from "../../src/client.ts";
import { isObject } from "../../src/protocol/json-rpc.ts";
import { asText } from "../dom.ts";
import { schemaForm } from "../form/schema-form.ts";
import { readStored, writeStored } from "../storage.ts";
import { askForYes, type Question } from "./question.ts";

const shared = new Map<string, JsonObject>();
const items = { type: "string", format: "uri", pattern: "^file://", examples: ["file:///home/me/project"] };
const Directories = { type: "array", items, description: "It gets the names, not the files." };

/** @throws when the person says no */
export async function shareRoots(url: string, question: Question): Promise<JsonObject> {
  const known = shared.get(url);
  if (known !== undefined) return known;
  const form = schemaForm({ properties: { Directories } });
  form.write(readStored(`roots:${url}`, isObject) ?? { Directories: [] });
  await askForYes(question, { body: [form.element], label: "Share", form });
  const kept = form.read();
  writeStored(`roots:${url}`, kept);
  // As parsed, so that no `..` is left in them.
  const roots = [kept["Directories"] ?? []].flat().map((uri) => ({ uri: new URL(asText(uri)).href }));
  shared.set(url, { roots });
  return { roots };
}
