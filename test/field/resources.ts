/** The resources of the open endpoint. Templates return what they matched, as JSON. */
import type { McpServer } from "../../src/index.ts";

const BLOB_BYTES = 128 * 1024;

export function addResources(server: McpServer): void {
  server.resource("bin://blob", { name: "blob", mimeType: "application/octet-stream" }, () => bytes(BLOB_BYTES));
  server.resource("notes://{+path}", { name: "notes", mimeType: "application/json" }, (_uri, { path }, ctx) => {
    // To everybody else it does not exist.
    if (path === "secret" && ctx.auth?.subject !== "root") return undefined;
    return JSON.stringify({ path });
  });
  server.resource(
    "users://{name}",
    {
      name: "users",
      mimeType: "application/json",
      complete: { name: (value, { arguments: { language } }) => suggestUsers(value, language) },
    },
    (_uri, variables) => JSON.stringify(variables),
  );
  server.resource("find://items{?q,limit}", { name: "find", mimeType: "application/json" }, (_uri, variables) =>
    JSON.stringify(variables),
  );
  server.resource("cafe://menü/{dish}", { name: "cafe", mimeType: "application/json" }, (_uri, variables) =>
    JSON.stringify(variables),
  );
}

/** Bytes that differ from their neighbours, the same in every run. */
export function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
}

const USERS = Array.from({ length: 250 }, (_, index) => `user-${String(index).padStart(3, "0")}`);

function suggestUsers(value: string, language: string | undefined): string[] {
  if (language !== undefined) return [`${value}-${language}`];
  return USERS.filter((user) => user.startsWith(value));
}
