/**
 * What servers tell of a request while they are at work on it, in every era: progress and log messages.
 *
 * @see spec 2026-07-28 basic/patterns/progress, server/utilities/logging
 */
import { type JsonObject, LOG_LEVELS } from "../protocol/types.ts";
import type { RequestOptions } from "./session.ts";

type Heard<Name extends "onProgress" | "onLog"> = Parameters<NonNullable<RequestOptions[Name]>>[0];

/** Undefined for params without a number. */
export function progressIn({ progress, total, message }: JsonObject): Heard<"onProgress"> | undefined {
  if (typeof progress !== "number") return undefined;
  return { progress, total: typeof total === "number" ? total : undefined, message: textOr(message) };
}

/** Undefined for params without a level that there is. */
export function logIn({ level, logger, data }: JsonObject): Heard<"onLog"> | undefined {
  const known = LOG_LEVELS.find((one) => one === level);
  return known && { level: known, logger: textOr(logger), data };
}

function textOr(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
