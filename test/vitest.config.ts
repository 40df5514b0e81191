/**
 * Three projects: `unit` in plain Node, `workerd` inside the Workers runtime (the same black-box files, and those of
 * `test/workerd` that only make sense there), `e2e` against processes: `wrangler dev`, Chromium, the packed tarball.
 */
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Tests that read files, start processes or look at the heap cannot run inside workerd. */
const NODE_ONLY = [
  "test/schema/{ajv,interpreter,official-suite}.test.ts",
  "test/architecture/**/*.test.ts",
  "test/node/**/*.test.ts",
  "test/web/tools-code.test.ts",
];
const EVERYWHERE = ["test/{protocol,sse,schema,server,http,subscriptions,cloudflare,client,web}/**/*.test.ts"];

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    reporters: ["default", `${import.meta.dirname}/closing-line.ts`],
    projects: [
      {
        test: {
          name: "unit",
          root: `${import.meta.dirname}/..`,
          // Files share a process: none keeps state outside itself, and it saves a quarter of the time.
          isolate: false,
          include: [...EVERYWHERE, ...NODE_ONLY],
          exclude: ["**/node_modules/**"],
        },
      },
      {
        plugins: [cloudflareTest({ main: "src/worker.ts", wrangler: { configPath: "wrangler.toml" } })],
        test: {
          name: "workerd",
          root: `${import.meta.dirname}/..`,
          include: [...EVERYWHERE, "test/workerd/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...NODE_ONLY],
        },
      },
      {
        test: {
          name: "e2e",
          root: `${import.meta.dirname}/..`,
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
