/** The official SDK with zod schemas. */
import { z } from "zod";
import { type SchemaOf, serveWith } from "./official.ts";
import type { BenchTool, Shape } from "./tools.ts";

const SCHEMAS: Record<Shape, () => ReturnType<SchemaOf>> = {
  search: () =>
    z.strictObject({
      query: z.string().min(1).describe("What to look for"),
      page: z.int().min(1).max(1_000),
      pageSize: z.int().min(1).max(100).optional(),
      order: z.enum(["relevance", "newest", "oldest"]).optional(),
      tags: z.array(z.string()).max(20).optional(),
      exact: z.boolean().optional(),
      minScore: z.number().min(0).max(1).optional(),
      within: z.strictObject({ from: z.string(), to: z.string().optional() }).optional(),
    }),
  blob: () => z.strictObject({ text: z.string() }),
  rows: () =>
    z.strictObject({
      rows: z.array(
        z.strictObject({
          id: z.int().min(0),
          name: z.string().min(1).max(80),
          amount: z.number(),
          state: z.enum(["open", "paid", "void"]),
        }),
      ),
    }),
  echo: () => z.strictObject({ value: z.int(), waitMs: z.int().min(0).max(1_000).optional() }),
  steps: () => z.strictObject({ steps: z.int().min(1).max(100) }),
};

export function serve(tools: readonly BenchTool[]): (request: Request) => Promise<Response> {
  return serveWith(tools, ({ shape }) => SCHEMAS[shape]());
}
