/**
 * The Worker whose hubs everybody uses. It finds them among its own exports, without a binding.
 */
import { SubscriptionHub as Hub } from "../../src/cloudflare.ts";
import { listening, subscriptions } from "./listening.ts";

/** How many hub objects were constructed: one more each time that one had slept and is woken. */
let constructed = 0;

export class SubscriptionHub extends Hub {
  constructor(state: DurableObjectState, env: unknown) {
    super(state, env);
    constructed += 1;
  }

  sockets(): number {
    return this.ctx.getWebSockets().length;
  }
}

const handler = listening("/home/mcp");

/** What `exports` holds; the generic type does not know this module. */
interface Exports {
  readonly SubscriptionHub: DurableObjectNamespace<SubscriptionHub>;
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case "/home/mcp":
        return handler.fetch(request, env, context);
      case "/home/constructed": // Without a word to the hub, which it would wake.
        return Response.json({ constructed, open: subscriptions.open });
      case "/home/sockets": {
        const { SubscriptionHub: hubs } = context.exports as unknown as Exports; // As declared in home.toml.
        return Response.json(await hubs.getByName("hub:default").sockets());
      }
      case "/home/publish": // As a cron trigger or a queue would: outside of any MCP request, and with no time to lose.
        context.waitUntil(subscriptions.publisher(env).resourceUpdated(searchParams.get("uri") ?? ""));
        return new Response(null, { status: 204 });
      default:
        return new Response(null, { status: 404 });
    }
  },
} satisfies ExportedHandler;
