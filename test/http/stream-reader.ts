/** A reply read chunk by chunk, as it arrives. */
export class ChunkReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(response: Response) {
    if (response.body === null) throw new Error("there is no body");
    this.#reader = response.body.getReader();
  }

  /** The next chunk, or undefined at the end. */
  async next(): Promise<string | undefined> {
    const { done, value } = await this.#reader.read();
    return done ? undefined : this.#decoder.decode(value, { stream: true });
  }

  /** All chunks that are left. */
  async rest(): Promise<string[]> {
    const chunks: string[] = [];
    for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) chunks.push(chunk);
    return chunks;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}
