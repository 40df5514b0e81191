/**
 * A server that means its clients no good, behind `node:http`: each path has a vice of its own. What the client asks for
 * does not matter, but for its id.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** One request, read to its end. */
interface Visit {
  readonly id: unknown;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly outgoing: ServerResponse;
  readonly server: HostileServer;
}
type Vice = (visit: Visit) => Promise<void> | void;

const MEBIBYTE = 1_048_576;
const GIGABYTE = 1_073_741_824;
const BLOCK = "x".repeat(65_536);
const SSE = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

export class HostileServer {
  readonly url: string;
  /** Requests so far, by path. */
  readonly visits: Map<string, number> = new Map();
  /** Where `/redirect` leads: another origin. */
  elsewhere = "";
  /** Bytes of body that were handed to the network. */
  sent = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    const { port } = server.address() as AddressInfo; // A string only for pipes.
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on("request", (incoming, outgoing) => void this.#take(incoming, outgoing));
  }

  static async start(): Promise<HostileServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new HostileServer(server);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? "/", this.url).pathname;
    this.visits.set(path, (this.visits.get(path) ?? 0) + 1);
    outgoing.on("error", () => outgoing.destroy());
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Visit;
      await VICES[path]?.({ id, method, params, outgoing, server: this });
    } catch {
      outgoing.destroy(); // The client has left, which is what it should do.
    }
  }
}

const response = (id: unknown, result: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;

function answer({ id, outgoing }: Visit, result: object): void {
  outgoing.writeHead(200, JSON_TYPE).end(response(id, result));
}

/** Sends until the client has had enough, or a gigabyte has gone. */
async function pour({ outgoing, server }: Visit, piece: (nth: number) => string): Promise<void> {
  for (let nth = 0, sent = 0; sent < GIGABYTE && !outgoing.destroyed; nth++) {
    const text = piece(nth);
    sent += text.length;
    server.sent += text.length;
    if (!outgoing.write(text)) await roomOrEnd(outgoing);
    // So that what the client says meanwhile is heard.
    if (nth % 64 === 0) await new Promise(setImmediate);
  }
  outgoing.end();
}

/** "drain" never comes once the client is gone. */
function roomOrEnd(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
    if (outgoing.destroyed) done();
  });
}

async function* spaces(): AsyncGenerator<string> {
  for (let sent = 0; sent < GIGABYTE; sent += BLOCK.length) yield " ".repeat(BLOCK.length);
}

/** An object nested so deeply that whoever follows it by recursion overflows the stack. */
const DEEP = '{"properties":'.repeat(200_000).concat("{}", "}".repeat(200_000));

/** With a very deep value in the place of `"HERE"`. */
function answerDeeply({ id, outgoing }: Visit, result: object): void {
  outgoing.writeHead(200, JSON_TYPE).end(response(id, result).replace('"HERE"', () => DEEP));
}

const tool = (name: string, more: object = {}): object => ({ name, inputSchema: { type: "object" }, ...more });
const pauseMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const token = ({ params }: Visit): unknown => (params["_meta"] as Record<string, unknown>)["progressToken"];

const VICES: Readonly<Record<string, Vice>> = {
  "/endless-comments": (visit) => {
    visit.outgoing.writeHead(200, SSE);
    return pour(visit, () => `: ${BLOCK}\n\n`);
  },
  "/endless-progress": (visit) => {
    visit.outgoing.writeHead(200, SSE);
    const params = { progressToken: token(visit), message: BLOCK };
    return pour(visit, (progress) => event({ method: "notifications/progress", params: { ...params, progress } }));
  },
  "/endless-event": (visit) => {
    visit.outgoing.writeHead(200, SSE).write("data: ");
    return pour(visit, () => BLOCK);
  },
  "/endless-lines": (visit) => {
    visit.outgoing.writeHead(200, SSE);
    return pour(visit, () => "data: 1\n".repeat(8_192));
  },
  "/huge-body": (visit) => {
    visit.outgoing.writeHead(200, JSON_TYPE).write('{"jsonrpc":"2.0","result":"');
    return pour(visit, () => BLOCK);
  },
  "/huge-declared": (visit) => {
    visit.outgoing.writeHead(200, { ...JSON_TYPE, "content-length": GIGABYTE });
    return pour(visit, () => BLOCK);
  },
  "/huge-error-page": (visit) => {
    visit.outgoing.writeHead(500, { "content-type": "text/html" });
    return pour(visit, () => BLOCK);
  },
  "/zip-bomb": async ({ outgoing }) => {
    outgoing.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" });
    await pipeline(spaces, createGzip(), outgoing);
  },
  "/deep": (visit) => {
    if (visit.method === "tools/list") {
      const outputSchema = { $ref: "#/$defs/list", $defs: { list: { items: { $ref: "#/$defs/list" } } } };
      return answer(visit, { tools: [tool("deep", { outputSchema })] });
    }
    const text = response(visit.id, { content: [], structuredContent: "HERE" });
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    visit.outgoing.writeHead(200, JSON_TYPE).end(text.replace('"HERE"', deep));
  },
  "/deep-output-schema": (visit) =>
    answerDeeply(visit, { content: [], tools: [tool("any", { outputSchema: "HERE" })] }),
  "/deep-input-schema": (visit) => answerDeeply(visit, { content: [], tools: [{ name: "any", inputSchema: "HERE" }] }),
  "/deep-list": (visit) =>
    answerDeeply(visit, { tools: [tool("any")], _meta: "HERE", ttlMs: 60_000, cacheScope: "public" }),
  "/deep-error": ({ id, outgoing }) => {
    const error = { code: -32000, message: "deep", data: "HERE" };
    outgoing.writeHead(200, SSE).end(event({ id, error }).replace('"HERE"', DEEP));
  },
  "/deep-question": (visit) => {
    const params = { mode: "form", message: "Deep?", requestedSchema: "HERE" };
    answerDeeply(visit, {
      resultType: "input_required",
      inputRequests: { a: { method: "elicitation/create", params } },
    });
  },
  "/slow-pattern": (visit) => {
    if (visit.method === "tools/list") {
      const outputSchema = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
      return answer(visit, { tools: [tool("slow", { outputSchema })] });
    }
    answer(visit, { content: [], structuredContent: { text: `${"a".repeat(100_000)}!` } });
  },
  "/cursor-loop": (visit) => answer(visit, { tools: [tool("again")], nextCursor: "again" }),
  "/fat-pages": (visit) => {
    const { cursor = "" } = visit.params as { cursor?: string }; // As this server wrote it.
    visit.server.sent += 2 * MEBIBYTE;
    answer(visit, { tools: [tool("fat", { description: "x".repeat(2 * MEBIBYTE) })], nextCursor: `${cursor}x` });
  },
  "/slow-pages": async (visit) => {
    const { cursor = "" } = visit.params as { cursor?: string }; // As this server wrote it.
    await pauseMs(20);
    answer(visit, { tools: [], nextCursor: `${cursor}x` });
  },
  "/cursor-growth": (visit) => {
    const { cursor = "" } = visit.params as { cursor?: string }; // As this server wrote it.
    answer(visit, { tools: [tool(`tool-${cursor.length}`)], nextCursor: `${cursor}x` });
  },
  "/redirect": ({ outgoing, server }) => void outgoing.writeHead(307, { location: `${server.elsewhere}/victim` }).end(),
  "/redirect-loop": ({ outgoing }) => void outgoing.writeHead(307, { location: "/redirect-loop" }).end(),
  "/victim": (visit) => answer(visit, { tools: [tool("stolen")] }),
  "/icons": (visit) => {
    const icons = [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      " java\nscript:alert(1)",
      "vbscript:x",
      "file:///etc/passwd",
      "ftp://host/icon.png",
      "ws://host/icon",
      "/relative.png",
      "data:text/html,<script>alert(1)</script>",
      "http://host/icon.png",
      "https://host/icon.png",
      "data:image/png;base64,AAAA",
    ].map((src) => ({ src }));
    const items = [tool("painted", { icons }), tool("plain"), tool("odd", { icons: "https://host/icon.png" })];
    answer(visit, { tools: items });
  },
  "/drip": async ({ outgoing }) => {
    outgoing.writeHead(200, JSON_TYPE);
    while (!outgoing.destroyed) {
      outgoing.write(" ");
      await pauseMs(10);
    }
  },
  "/drip-events": async ({ outgoing }) => {
    outgoing.writeHead(200, SSE);
    while (!outgoing.destroyed) {
      outgoing.write(":\n\n");
      await pauseMs(10);
    }
  },
  "/drip-progress": async (visit) => {
    visit.outgoing.writeHead(200, SSE);
    for (let progress = 0; !visit.outgoing.destroyed; progress++) {
      visit.outgoing.write(
        event({ method: "notifications/progress", params: { progressToken: token(visit), progress } }),
      );
      await pauseMs(10);
    }
  },
  "/silence": () => undefined,
  "/reset": ({ outgoing }) => void outgoing.destroy(),
  "/half-body": ({ id, outgoing }) => {
    const text = response(id, { content: [] });
    outgoing.writeHead(200, { ...JSON_TYPE, "content-length": text.length });
    outgoing.write(text.slice(0, -5), () => outgoing.destroy());
  },
  "/half-json": ({ id, outgoing }) =>
    void outgoing.writeHead(200, JSON_TYPE).end(response(id, { content: [] }).slice(0, -5)),
  "/half-event": ({ id, outgoing }) =>
    void outgoing.writeHead(200, SSE).end(`data: ${response(id, { content: [] })}`.slice(0, -5)),
  "/challenge": ({ outgoing }) => void outgoing.writeHead(401, { "www-authenticate": "Bearer" }).end(),
  "/questions": (visit) => {
    const params = { mode: "form", message: "And now?", requestedSchema: { type: "object", properties: {} } };
    const inputRequests = { again: { method: "elicitation/create", params } };
    answer(visit, { resultType: "input_required", inputRequests, requestState: "s" });
  },
  "/prototype": (visit) => {
    const text = response(visit.id, { content: [], structuredContent: "HERE" });
    const poison = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    visit.outgoing.writeHead(200, JSON_TYPE).end(text.replace('"HERE"', poison));
  },
  "/flood": (visit) => {
    const _meta = { "io.modelcontextprotocol/subscriptionId": visit.id };
    const { notifications } = visit.params;
    visit.outgoing.writeHead(200, SSE);
    visit.outgoing.write(
      event({ method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } }),
    );
    const updated = (uri: string): string =>
      event({ method: "notifications/resources/updated", params: { _meta, uri } });
    return pour(visit, (nth) => Array.from({ length: 100 }, (_, at) => updated(`note://a/${nth}/${at}`)).join(""));
  },
};
