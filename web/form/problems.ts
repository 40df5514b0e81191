/**
 * What is wrong with a value, brought to the fields it is about.
 */
import type { JsonObject } from "../../src/protocol/types.ts";
import type { SchemaIssue } from "../../src/schema/engine.ts";
import { escapeToken } from "../../src/schema/walk.ts";
import type { Field } from "./field.ts";

export interface Problem extends SchemaIssue {
  readonly field: Field;
  /** Where in what the field stands for, if it has no fields inside that say so. */
  readonly within: string;
}

type Check = (schema: JsonObject, value: unknown) => readonly SchemaIssue[];

/**
 * All that is wrong. The engine stops at the first thing that is wrong in a place, so once the whole was found wanting the
 * fields are asked one by one, from the inside.
 */
export function problemsOf(root: Field, schema: JsonObject, check: Check): Problem[] {
  const found: Problem[] = [];
  const put = (field: Field, path: string, message: string, within = ""): void =>
    void found.push({ field, path: path + within, message, within });
  /** To the field that an issue is about, as far as there are fields. */
  const locate = (field: Field, path: string, issue: SchemaIssue): void => {
    const { path: rest, message } = issue;
    const inner = field.inner?.();
    if (inner !== undefined) return locate(inner, path, issue);
    const [key, child] = field.children?.().find(([name]) => `${rest}/`.startsWith(tokenOf(name) + "/")) ?? [];
    if (key === undefined || child === undefined) return put(field, path, message, rest);
    return locate(child, path + tokenOf(key), { path: rest.slice(tokenOf(key).length), message });
  };
  const look = (field: Field, path: string, judge: boolean): void => {
    const before = found.length;
    const fault = field.fault?.();
    if (fault !== undefined) return put(field, path, fault);
    const value = field.read();
    const isThere = judge && value !== undefined;
    const inner = field.inner?.();
    if (inner !== undefined) look(inner, path, isThere);
    for (const [key, child] of field.children?.() ?? []) look(child, path + tokenOf(key), isThere);
    if (!judge || found.length > before) return;
    if (isThere) for (const issue of field.schema ? check(field.schema, value) : []) locate(field, path, issue);
    else if (field.required === true) put(field, path, "is required");
  };
  const issues = check(schema, root.read() ?? {});
  look(root, "", issues.length > 0);
  if (found.length === 0) for (const issue of issues) locate(root, "", issue);
  return found;
}

function tokenOf(key: string): string {
  return `/${escapeToken(key)}`;
}

/** @param all also at fields that nobody touched yet */
export function showProblems(root: Field, problems: readonly Problem[], all: boolean): void {
  for (const note of root.element.querySelectorAll(".error")) note.textContent = "";
  for (const control of root.element.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  for (const { field, message, within } of problems) {
    const { element } = field;
    const note = element.querySelector(":scope > .error") ?? element.querySelector(".error");
    if (note === null || (!all && element.dataset["touched"] === undefined)) continue;
    note.append(`${within === "" ? "This" : within} ${message}.\n`);
    element.querySelector(`[aria-describedby~="${note.id}"]`)?.setAttribute("aria-invalid", "true");
    if (all) for (const closed of root.element.querySelectorAll("details")) closed.open ||= closed.contains(note);
  }
}
