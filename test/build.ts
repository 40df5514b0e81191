/** `npm run build`: what goes into the package. */
import { resolve } from "node:path";
import { buildPackage } from "./build-package.ts";

await buildPackage(resolve(import.meta.dirname, "../dist"));
