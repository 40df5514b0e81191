/** mcp-edge with the bus between isolates: one hub object for all streams. */
import { hubBus } from "../../src/cloudflare.ts";
import { listenOver } from "./listen-ours.ts";

export { SubscriptionHub } from "../../src/cloudflare.ts";
export default listenOver(hubBus());
