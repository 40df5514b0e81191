/** The prompt of the open endpoint. */
import type { McpServer } from "../../src/index.ts";

export function addPrompts(server: McpServer): void {
  server.prompt(
    "greet",
    { description: "Greets somebody", arguments: [{ name: "name", description: "Whom", required: true }] },
    ({ name }) => `Hello, ${name}!`,
  );
}
