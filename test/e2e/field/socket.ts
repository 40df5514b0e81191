/** HTTP by hand, for what `fetch` refuses to send: repeated header lines, bodies without an end, half a body. */
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

export class RawRequest {
  readonly #socket: Socket;
  #received = "";
  /** False once the server stopped taking more. */
  #open = true;

  constructor(url: URL) {
    this.#socket = connect(Number(url.port), url.hostname);
    this.#socket.setEncoding("utf8");
    this.#socket.on("data", (text: string) => {
      this.#received += text;
    });
    // A server that has answered may reset a connection that is still sending.
    this.#socket.on("error", () => this.#shut());
    this.#socket.on("close", () => this.#shut());
  }

  /** Header lines as they are, plus `Host`. */
  head(path: string, lines: readonly string[]): void {
    this.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  }

  write(text: string): void {
    if (this.#open) this.#socket.write(text);
  }

  /** One chunk of a chunked body; resolves when it has left, or cannot leave any more. */
  async chunk(text: string): Promise<void> {
    if (!this.#open) return;
    const framed = `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    // Called with an error, rather than not at all, when the connection is gone.
    await new Promise<void>((resolve) => this.#socket.write(framed, () => resolve()));
  }

  get open(): boolean {
    return this.#open;
  }

  get received(): string {
    return this.#received;
  }

  /** Reads no more, so that what the server sends piles up. */
  pause(): void {
    this.#socket.pause();
  }

  /** Goes away without a word. */
  vanish(): void {
    this.#socket.destroy();
  }

  /** The status and whatever has come of the body, once the end of the head has arrived. */
  async answer(): Promise<RawAnswer> {
    while (!this.#received.includes("\r\n\r\n") && this.#open) await new Promise((resolve) => setTimeout(resolve, 5));
    const [head = "", ...body] = this.#received.split("\r\n\r\n");
    return { status: Number(head.split(" ")[1]), text: body.join("\r\n\r\n") };
  }

  #shut(): void {
    this.#open = false;
  }
}

/** A whole request with exactly these header lines, besides `Host` and `Content-Length`. */
export async function sendRaw(url: URL, path: string, lines: readonly string[], body: string): Promise<RawAnswer> {
  const request = new RawRequest(url);
  request.head(path, ["connection: close", `content-length: ${Buffer.byteLength(body)}`, ...lines]);
  request.write(body);
  const answer = await request.answer();
  request.vanish();
  return answer;
}
