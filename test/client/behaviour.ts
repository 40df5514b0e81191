/**
 * What the client does with a server, as cases that need no test runner: the same ones run in Node, inside workerd, and
 * in a page under a strict Content-Security-Policy, against `behaviour-server.ts`.
 */
import type { McpClientOptions } from "../../src/client/client-options.ts";
import { McpClient } from "../../src/client/mcp-client.ts";
import { resultCache } from "../../src/client/result-cache.ts";
import { McpError, ProtocolError } from "../../src/protocol/errors.ts";
import { interpreterEngine } from "../../src/schema/interpreter.ts";

export interface Bench {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Compares by value. */
  readonly equal: (actual: unknown, expected: unknown) => void;
}

export interface BehaviourCase {
  readonly title: string;
  readonly run: (bench: Bench) => Promise<void>;
}

const ALL_TOOLS = ["echo", "fail", "mirrored", "ask", "report", "tell", "hang", "touch"];

function connect({ url, fetch }: Bench, options: Partial<McpClientOptions> = {}): McpClient {
  return new McpClient(url, { info: { name: "behaviour", version: "1.0.0" }, fetch, ...options });
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    if (error instanceof McpError || error instanceof ProtocolError) return error.code;
    throw error;
  }
  return undefined;
}

/** A bench that counts requests by their method. */
function counting(bench: Bench): Bench & { readonly count: (method: string) => number } {
  const methods: (string | null)[] = [];
  const counted: typeof fetch = (input, init) => {
    methods.push(new Headers(init?.headers ?? (input instanceof Request ? input.headers : {})).get("mcp-method"));
    return bench.fetch(input, init);
  };
  return { ...bench, fetch: counted, count: (method) => methods.filter((name) => name === method).length };
}

export const BEHAVIOUR: readonly BehaviourCase[] = [
  {
    title: "discovers what the server is",
    async run(bench) {
      const { era, version, info } = await connect(bench).discover();
      bench.equal([era, version, info?.name], ["modern", "2026-07-28", "under-test"]);
    },
  },
  {
    title: "lists everything, over all pages",
    async run(bench) {
      const counted = counting(bench);
      const tools = await connect(counted).listTools();
      bench.equal(tools.map(({ name }) => name).toSorted(), ALL_TOOLS.toSorted());
      bench.equal(counted.count("tools/list"), 3);
    },
  },
  {
    title: "calls a tool, and checks what comes by the tool's schema, without eval",
    async run(bench) {
      const client = connect(bench, { schemas: interpreterEngine() });
      await client.listTools();
      const { structuredContent, issues } = await client.callTool("echo", { text: "søk 🔔" });
      bench.equal([structuredContent, issues], [{ text: "søk 🔔" }, []]);
    },
  },
  {
    title: "hears of progress, all of it and in order",
    async run(bench) {
      const heard: unknown[] = [];
      const { content } = await connect(bench).callTool(
        "report",
        { times: 50 },
        { onProgress: (at) => void heard.push(at) },
      );
      bench.equal(content, [{ type: "text", text: "reported" }]);
      const all = Array.from({ length: 50 }, (_, at) => at + 1);
      bench.equal(
        heard,
        all.map((progress) => ({ progress, total: 50, message: `Schritt ${progress} ✓` })),
      );
    },
  },
  {
    title: "hears what a tool logs, from the level on that it asks for",
    async run(bench) {
      const heard: unknown[] = [];
      const options = { logLevel: "warning", onLog: ({ data }: { data: unknown }) => void heard.push(data) } as const;
      await connect(bench).callTool("tell", {}, options);
      bench.equal(heard, [{ level: "warning" }, { level: "error" }]);
    },
  },
  {
    title: "gets prompts, and help with their arguments",
    async run(bench) {
      const client = connect(bench);
      bench.equal(
        (await client.listPrompts()).map(({ name }) => name),
        ["greet"],
      );
      const ref = { type: "ref/prompt", name: "greet" } as const;
      const { values } = await client.complete({ ref, argument: { name: "name", value: "A" } });
      bench.equal(values, ["Ada", "Alan"]);
      const { messages } = await client.getPrompt("greet", { name: "Ada" });
      bench.equal(messages, [{ role: "user", content: { type: "text", text: "Greet Ada" } }]);
    },
  },
  {
    title: "finds out by itself which headers a tool wants that it has not listed",
    async run(bench) {
      const counted = counting(bench);
      const { structuredContent } = await connect(counted).callTool("mirrored", { region: "eu", count: -1 });
      bench.equal(structuredContent, ["mirrored", "eu", "-1"]);
      bench.equal(counted.count("tools/call"), 2);
    },
  },
  {
    title: "mirrors arguments into headers, whatever characters are in them",
    async run(bench) {
      const client = connect(bench);
      await client.listTools();
      const { structuredContent: plain } = await client.callTool("mirrored", { region: "eu-west", count: 3 });
      bench.equal(plain, ["mirrored", "eu-west", "3"]);
      const { structuredContent: encoded } = await client.callTool("mirrored", { region: "søk" });
      bench.equal(encoded, ["mirrored", "=?base64?c8O4aw==?=", null]);
    },
  },
  {
    title: "answers what a tool asks for",
    async run(bench) {
      const asked: unknown[] = [];
      const client = connect(bench, {
        input: {
          elicit: async (params) => {
            asked.push(params.message);
            return { action: "accept", content: { name: "Ada" } };
          },
        },
      });
      const { content } = await client.callTool("ask");
      bench.equal([content, asked], [[{ type: "text", text: "Hello Ada" }], ["Who?"]]);
      const declining = connect(bench, { input: { elicit: async () => ({ action: "decline" }) } });
      bench.equal((await declining.callTool("ask")).content, [{ type: "text", text: "decline" }]);
    },
  },
  {
    title: "leaves a question to its caller, who may answer it later, by another client",
    async run(bench) {
      const asking = connect(bench, { capabilities: { elicitation: { form: {} } } });
      const pending = await asking.callTool("ask", {}, { input: "manual" });
      if (!("inputRequests" in pending)) throw new Error("nothing was asked");
      const stored = JSON.stringify(pending);
      const answering = connect(bench, { capabilities: { elicitation: { form: {} } } });
      const answer = { who: { action: "accept", content: { name: "Grace" } } };
      const { content } = await answering.resume(JSON.parse(stored) as typeof pending, answer);
      bench.equal(content, [{ type: "text", text: "Hello Grace" }]);
    },
  },
  {
    title: "says by code what went wrong",
    async run(bench) {
      const client = connect(bench);
      bench.equal(await codeOf(client.callTool("no such tool")), -32602);
      bench.equal(await codeOf(client.request("no/such/method", {})), -32601);
      bench.equal(await codeOf(client.callTool("hang", {}, { timeoutMs: 50 })), "timeout");
      bench.equal(await codeOf(client.callTool("hang", {}, { signal: AbortSignal.timeout(50) })), "aborted");
      bench.equal((await client.callTool("fail")).isError, true);
    },
  },
  {
    title: "reads resources, large ones too",
    async run(bench) {
      const client = connect(bench);
      const { contents } = await client.readResource("note://large");
      const [text] = contents.map((one) => ("text" in one ? one.text : ""));
      bench.equal([text?.length, text?.replaceAll("é", "")], [3_000_000, ""]);
    },
  },
  {
    title: "listens, until it has heard enough",
    async run(bench) {
      const client = connect(bench);
      const filter = { toolsListChanged: true, resourceSubscriptions: ["note://a"] };
      const listening = client.listen(filter);
      bench.equal(await listening.joined(), filter);
      await client.callTool("touch", { uri: "note://b" });
      await client.callTool("touch", { uri: "note://a" });
      for await (const event of listening) {
        bench.equal(event, { type: "resourceUpdated", uri: "note://a" });
        break;
      }
      bench.equal(listening.state, { phase: "ended", error: undefined });
    },
  },
  {
    title: "asks once for what it may use again, and again when it hears of a change",
    async run(bench) {
      const counted = counting(bench);
      const client = connect(counted, { cache: resultCache() });
      for (let time = 0; time < 3; time++) await client.listTools();
      bench.equal(counted.count("tools/list"), 3);
      for (let time = 0; time < 3; time++) await client.readResource("note://a");
      bench.equal(counted.count("resources/read"), 1);
      const listening = client.listen({ toolsListChanged: true });
      await listening.joined();
      await client.callTool("touch");
      for await (const { type } of listening) {
        bench.equal(type, "toolsListChanged");
        break;
      }
      await client.listTools();
      await client.readResource("note://a");
      bench.equal([counted.count("tools/list"), counted.count("resources/read")], [6, 1]);
    },
  },
];
