/** mcp-edge with the bus that keeps to one isolate. */
import { memoryBus } from "../../src/subscriptions.ts";
import { listenOver } from "./listen-ours.ts";

export default listenOver(memoryBus());
