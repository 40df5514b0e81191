/**
 * A model endpoint on loopback that says what a test tells it to, for both APIs that the page's chat knows. It allows every
 * page, as those that are meant for browsers do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Json = Record<string, unknown>;

export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Json;
}

/** Answers one request: a body for status 200, or whatever it does to the response itself. */
export type Line = (request: ModelRequest, response: ServerResponse) => Json | undefined;

export interface ScriptedModel {
  /** Without a trailing slash. */
  readonly url: string;
  /** What was asked, in order. */
  readonly requests: readonly ModelRequest[];
  /** What it answers from now on, a line a request. Asked more, it answers 500. */
  script(...lines: readonly Line[]): void;
  stop(): Promise<void>;
}

export async function startModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  let lines: Line[] = [];
  const server = createServer((incoming, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*, authorization");
    response.setHeader("access-control-expose-headers", "retry-after");
    if (incoming.method === "OPTIONS") return void response.writeHead(204).end();
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (piece: string) => (text += piece));
    incoming.on("end", () => {
      const request = { path: incoming.url ?? "", headers: incoming.headers, body: JSON.parse(text) as Json };
      requests.push(request);
      const line = lines.shift();
      if (line === undefined) return void response.writeHead(500).end();
      const body = line(request, response);
      if (body !== undefined) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    script: (...next) => void (lines = [...next]),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Call {
  readonly name: string;
  readonly args: unknown;
}

/** A reply of chat completions. */
export const openaiSays =
  (text: string, ...calls: readonly Call[]): Line =>
  () => ({
    choices: [
      {
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
        message: {
          role: "assistant",
          content: text,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ name, args }, index) => ({
              id: `call-${index}`,
              type: "function",
              function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
            })),
          }),
        },
      },
    ],
    usage: { prompt_tokens: 12, completion_tokens: 3 },
  });

/** A reply of the Messages API. */
export const anthropicSays =
  (text: string, ...calls: readonly Call[]): Line =>
  () => ({
    type: "message",
    role: "assistant",
    content: [
      { type: "text", text },
      ...calls.map(({ name, args }, index) => ({ type: "tool_use", id: `toolu-${index}`, name, input: args })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    usage: { input_tokens: 12, output_tokens: 3 },
  });
