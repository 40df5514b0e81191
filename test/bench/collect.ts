/** Collects garbage now, so that nobody pays for what another left behind, and so that heap sizes mean something. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** A new context has the function that the flag defines; this one was made too early for it. */
export const collectGarbage = runInNewContext("gc") as () => void;
