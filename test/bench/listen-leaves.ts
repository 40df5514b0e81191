/** mcp-edge with the bus between isolates: a root that numbers, and leaves that share the streams. */
import { hubBus } from "../../src/cloudflare.ts";
import { listenOver } from "./listen-ours.ts";

export { SubscriptionHub } from "../../src/cloudflare.ts";

const LEAVES = 4;
let joined = 0;

export default listenOver(hubBus({ leaf: () => ({ name: String(joined++ % LEAVES) }) }));
