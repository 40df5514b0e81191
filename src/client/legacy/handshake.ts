/**
 * The handshake of the legacy era: what is offered, and what to make of the answer.
 *
 * @see spec 2025-11-25 basic/lifecycle#initialization
 */
import { clip, McpError, ProtocolError } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { Implementation, JsonObject } from "../../protocol/types.ts";
import type { Connection, ServerDescription } from "../session.ts";
import { legacyCapabilities } from "./answers.ts";

/** Newest first. All of them are spoken on both wires. */
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

export function initializeParams(connection: Connection, protocolVersion: string): JsonObject {
  return { protocolVersion, capabilities: legacyCapabilities(connection), clientInfo: connection.info };
}

/** @throws {McpError} `no_common_version` or `invalid_response` */
export function describeServer(result: JsonObject, versions: readonly string[]): ServerDescription {
  const { protocolVersion: version, capabilities, serverInfo, instructions } = result;
  if (typeof version !== "string") {
    throw new McpError("invalid_response", "The answer to initialize names no protocolVersion");
  }
  if (!versions.includes(version)) {
    throw new McpError(
      "no_common_version",
      `The server speaks ${clip(JSON.stringify(version))}, and this client does not`,
    );
  }
  return {
    era: "legacy",
    version,
    info: isImplementation(serverInfo) ? serverInfo : undefined,
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

/** A version to try instead, where a server refuses the one that was offered and says what it takes. */
export function versionInstead(error: unknown, versions: readonly string[]): string | undefined {
  if (!(error instanceof ProtocolError) || !isObject(error.data)) return undefined;
  const { supported } = error.data;
  return Array.isArray(supported) ? versions.find((version) => supported.includes(version)) : undefined;
}

function isImplementation(value: unknown): value is Implementation & JsonObject {
  return isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}
