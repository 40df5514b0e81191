/** The floor with Ajv compiling the checks at start-up. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { type Check, serve as serveWith } from "./floor.ts";
import type { BenchTool } from "./tools.ts";

export function serve(tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  const ajv = new Ajv2020();
  const checks = new Map<string, Check>(tools.map(({ name, inputSchema }) => [name, ajv.compile(inputSchema)]));
  return serveWith(tools, checks);
}
