/**
 * What the Workers of the group `listen` have in common: MCP at one path, and a plain one to publish at, as a cron trigger
 * or a queue would.
 */

/** Above what the bench opens, its first few streams included. */
export const MAX_STREAMS = 6_000;
/** The default of the official SDK, here for all. */
export const KEEP_ALIVE_MS = 15_000;

export interface ListenParts {
  readonly serve: (request: Request, env: unknown) => Response | Promise<Response>;
  readonly publish: (uri: string, env: unknown) => void | Promise<void>;
}

export function listenWorker({ serve, publish }: ListenParts): ExportedHandler {
  return {
    async fetch(request, env) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== "/publish") return serve(request, env);
      await publish(searchParams.get("uri") ?? "", env);
      return new Response(null, { status: 204 });
    },
  };
}
