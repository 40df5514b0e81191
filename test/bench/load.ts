/**
 * A load generator on bare sockets: as little work a request as will do, so that the server is what limits the rate.
 *
 * Each connection sends one request, waits for the whole response, and sends the next. It understands what workerd sends:
 * `Content-Length` or chunked, and nothing pipelined.
 */
import { connect, type Socket } from "node:net";
import type { WireRequest } from "./wire.ts";

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  readonly request: WireRequest;
  /** Part of every response that is a good one. */
  readonly expected: string;
}

export interface LoadResult {
  readonly answered: number;
  readonly perSecond: number;
}

/** @throws {Error} for a wrong or broken response */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { port, connections, milliseconds } = options;
  const bytes = Buffer.from(encodeRequest(options));
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const start = performance.now();
  const end = start + milliseconds;
  try {
    const counts = await Promise.all(
      sockets.map((socket) => drive(socket, bytes, { end, expected: options.expected })),
    );
    const answered = counts.reduce((sum, count) => sum + count, 0);
    return { answered, perSecond: (answered * 1_000) / (performance.now() - start) };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

function encodeRequest({ port, request: { body, headers } }: LoadOptions): string {
  const fields = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `POST /mcp HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n${body}`;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("connect", () => resolve(socket)).once("error", reject);
  });
}

function drive(socket: Socket, request: Buffer, { end, expected }: { end: number; expected: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = "";
    let answered = 0;
    socket.setEncoding("latin1");
    socket.once("error", reject).once("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (!isWhole(received)) return;
      if (!received.startsWith("HTTP/1.1 200 ") || !received.includes(expected)) {
        reject(new Error(`a wrong response: ${received.slice(0, 600)}`));
        return;
      }
      received = "";
      answered += 1;
      if (performance.now() < end) socket.write(request);
      else resolve(answered);
    });
    socket.write(request);
  });
}

function isWhole(received: string): boolean {
  const head = received.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received);
  if (length !== null && length.index < head) return received.length >= head + 4 + Number(length[1]);
  return received.endsWith("0\r\n\r\n");
}
