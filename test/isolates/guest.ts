/**
 * Another Worker, in an isolate of its own, that has a binding to the hubs of the first.
 */
import { listening, subscriptions } from "./listening.ts";
import { official } from "./official.ts";

const handler = listening("/guest/mcp");

export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname === "/guest/open") return Response.json(subscriptions.open);
    if (new URL(request.url).pathname === "/guest/official") return official.fetch(request);
    return handler.fetch(request, env, context);
  },
} satisfies ExportedHandler;
