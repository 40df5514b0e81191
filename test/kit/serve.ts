/**
 * Servers for tests: one call from registrations to a fetch handler.
 *
 * What the server reports about itself is kept instead of printed, so that a test can look at it and a run stays quiet.
 */
import {
  type AuthInfo,
  createFetchHandler,
  type FetchHandler,
  type FetchHandlerOptions,
  McpServer,
  type SchemaEngine,
} from "../../src/core.ts";
import { ajvEngine } from "../../src/schema/ajv.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";
import type { ServerOptions } from "../../src/server/mcp-server.ts";

export interface Served<Env> extends FetchHandler<Env> {
  readonly server: McpServer<Env>;
  /** What `onError` and `onWarning` were told, oldest first. */
  readonly errors: unknown[];
  readonly warnings: string[];
}

export interface ServeOptions<Env> extends FetchHandlerOptions<Env> {
  server?: Partial<ServerOptions>;
}

/** 32 bytes, the same on every instance that uses it. */
export const STATE_KEY = "7c".repeat(32);

/** For the option `authenticate`: the caller is whoever the Authorization header names. */
export function subjectFromHeader({ headers }: Request): AuthInfo | null {
  const subject = headers.get("authorization");
  return subject === null ? null : { subject };
}

/** Code may be generated in Node, but not in workerd once it is up, which is when test files are loaded there. */
export function engine(): SchemaEngine {
  return mayGenerateCode() ? ajvEngine() : interpreterEngine();
}

/** A server without a transport, for tests of registration. */
export function emptyServer<Env = unknown>(options: Partial<ServerOptions> = {}): McpServer<Env> {
  const info = { name: "under-test", version: "1.2.3" };
  return new McpServer<Env>(info, { schemas: engine(), lateSchemas: interpreterEngine(), ...options });
}

export function serverWith<Env = unknown>(
  register: (server: McpServer<Env>) => void,
  { server: serverOptions, ...options }: ServeOptions<Env> = {},
): Served<Env> {
  const server = emptyServer<Env>(serverOptions);
  register(server);
  const errors: unknown[] = [];
  const warnings: string[] = [];
  const handler = createFetchHandler(server, {
    stateKeys: [STATE_KEY],
    onError: (error) => void errors.push(error),
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  return { ...handler, server, errors, warnings };
}

function mayGenerateCode(): boolean {
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- asks whether the runtime allows it, nothing else.
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}
