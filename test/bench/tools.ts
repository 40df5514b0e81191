/**
 * The tools every contestant serves, as plain data and functions, so that each wires them up in its own way.
 *
 * Handlers are asynchronous, as handlers that do something are.
 */
export type Shape = "search" | "blob" | "rows" | "steps" | "echo";
export type Report = (progress: number, total: number) => void | Promise<void>;

export interface BenchTool {
  readonly name: string;
  readonly description: string;
  readonly shape: Shape;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly run: (args: Record<string, unknown>, report: Report) => Promise<string>;
}

export const SERVER_INFO = { name: "bench", version: "1.0.0" };

/** Tools of an ordinary size: eight arguments, a few rules. Each has a schema object of its own, as real ones do. */
export function searchTools(count: number): BenchTool[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `search_${index}`,
    description: `Searches collection ${index} and says what it was asked for, with the page and the order.`,
    shape: "search",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, description: "What to look for" },
        page: { type: "integer", minimum: 1, maximum: 1_000 + index },
        pageSize: { type: "integer", minimum: 1, maximum: 100 },
        order: { type: "string", enum: ["relevance", "newest", "oldest"] },
        tags: { type: "array", items: { type: "string" }, maxItems: 20 },
        exact: { type: "boolean" },
        minScore: { type: "number", minimum: 0, maximum: 1 },
        within: {
          type: "object",
          properties: { from: { type: "string" }, to: { type: "string" } },
          required: ["from"],
          additionalProperties: false,
        },
      },
      required: ["query", "page"],
      additionalProperties: false,
    },
    run: async ({ query, page }) => `${String(query)}, page ${String(page)}`,
  }));
}

export const blobTool: BenchTool = {
  name: "measure",
  description: "Says how long a text is.",
  shape: "blob",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
  run: async ({ text }) => String((text as string).length), // The schema says so.
};

export const rowsTool: BenchTool = {
  name: "import_rows",
  description: "Counts the rows it is given.",
  shape: "rows",
  inputSchema: {
    type: "object",
    properties: {
      rows: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "integer", minimum: 0 },
            name: { type: "string", minLength: 1, maxLength: 80 },
            amount: { type: "number" },
            state: { type: "string", enum: ["open", "paid", "void"] },
          },
          required: ["id", "name", "amount", "state"],
          additionalProperties: false,
        },
      },
    },
    required: ["rows"],
    additionalProperties: false,
  },
  run: async ({ rows }) => String((rows as unknown[]).length), // The schema says so.
};

/** Gives way between reports, so that nobody can put the whole stream into one write. */
export const stepsTool: BenchTool = {
  name: "walk",
  description: "Walks some steps and reports each.",
  shape: "steps",
  inputSchema: {
    type: "object",
    properties: { steps: { type: "integer", minimum: 1, maximum: 100 } },
    required: ["steps"],
    additionalProperties: false,
  },
  run: async ({ steps }, report) => {
    const total = steps as number; // The schema says so.
    for (let step = 1; step <= total; step += 1) await report(step, total);
    return `walked ${total}`;
  },
};

/** Waits, then gives back what it was given: for telling concurrent calls apart. */
export const echoTool: BenchTool = {
  name: "echo",
  description: "Repeats a number, after a while if asked to.",
  shape: "echo",
  inputSchema: {
    type: "object",
    properties: { value: { type: "integer" }, waitMs: { type: "integer", minimum: 0, maximum: 1_000 } },
    required: ["value"],
    additionalProperties: false,
  },
  run: async ({ value, waitMs }) => {
    if (typeof waitMs === "number" && waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    return String(value);
  },
};
