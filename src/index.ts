/**
 * Entry `mcp-edge`: everything of `mcp-edge/core`, with Ajv compiling the schemas of what is registered.
 */
import type { Implementation } from "./protocol/types.ts";
import { ajvEngine } from "./schema/ajv.ts";
import { McpServer as CoreServer, type ServerOptions as CoreOptions } from "./server/mcp-server.ts";

export * from "./core.ts";

export interface ServerOptions<Env = unknown> extends Omit<CoreOptions<Env>, "schemas"> {
  /** Default Ajv. */
  schemas?: CoreOptions["schemas"];
}

/** A server whose tool schemas Ajv compiles while the module loads. */
export class McpServer<Env = unknown> extends CoreServer<Env> {
  constructor(info: Implementation, options: ServerOptions<Env> = {}) {
    super(info, { schemas: ajvEngine(), ...options });
  }
}
