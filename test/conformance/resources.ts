/** Resources: text, binary, and one template. */
import type { McpServer } from "../../src/index.ts";
import { RED_PIXEL } from "./media.ts";

export function addResources(server: McpServer): void {
  server.resource(
    "test://static-text",
    { name: "static-text", description: "A text that never changes", mimeType: "text/plain" },
    () => "This is the content of the static text resource.",
  );
  server.resource(
    "test://static-binary",
    { name: "static-binary", description: "An image that never changes", mimeType: "image/png" },
    () => RED_PIXEL,
  );
  server.resource(
    "test://template/{id}/data",
    { name: "template-data", description: "Data by id", mimeType: "application/json" },
    (_uri, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
}
