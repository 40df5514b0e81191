/**
 * HTTP+SSE of revision 2024-11-05: one stream for all that the server says, and an address to POST to that the stream
 * names first.
 *
 * @see spec 2024-11-05 basic/transports#http-with-sse
 */
import { McpError } from "../../protocol/errors.ts";
import { parsed } from "../../protocol/json-text.ts";
import type { JsonObject } from "../../protocol/types.ts";
import { discard, patienceOf, send } from "../http-request.ts";
import { mediaTypeOf } from "../message-stream.ts";
import type { Connection } from "../session.ts";
import { readEvents } from "./event-reader.ts";
import { legacyRefusalOf } from "./refusal.ts";
import { type Outgoing, SessionLost, type Wire, type WireOwner } from "./wire.ts";

/** Our choice: the stream's first event is ready before anything is asked. */
const ENDPOINT_TIMEOUT_MS = 10_000;

export class HttpSseWire implements Wire {
  readonly answersLater = true;
  readonly #connection: Connection;
  readonly #owner: WireOwner;
  readonly #closed = new AbortController();
  /** Where messages go. Undefined until the stream has said so. */
  #endpoint: string | undefined;
  #version: string | undefined;
  #isDead = false;

  constructor(connection: Connection, owner: WireOwner) {
    this.#connection = connection;
    this.#owner = owner;
  }

  /** @throws {McpError} `invalid_response` or `http_error` when this is no such server, `timeout` */
  static async open(connection: Connection, owner: WireOwner, signal: AbortSignal): Promise<HttpSseWire> {
    const wire = new HttpSseWire(connection, owner);
    try {
      await wire.#open(signal);
      return wire;
    } catch (error) {
      await wire.close();
      throw error;
    }
  }

  agreed(version: string): void {
    this.#version = version;
  }

  async send(message: JsonObject, outgoing: Outgoing): Promise<void> {
    const { signal } = outgoing;
    if (this.#isDead || this.#endpoint === undefined) throw new SessionLost("The server's stream has ended");
    const headers = {
      "content-type": "application/json",
      ...(this.#version !== undefined && { "mcp-protocol-version": this.#version }),
    };
    const request = { method: "POST", url: this.#endpoint, headers, body: JSON.stringify(message) } as const;
    const response = await send(this.#connection, request, outgoing);
    if (response.ok) discard(response);
    // The session is in the endpoint's address, and an address that has gone has done nothing.
    else if (response.status === 404 && this.#version !== undefined) {
      discard(response);
      this.#die(undefined);
      throw new SessionLost("The server has forgotten the session");
    } else throw await legacyRefusalOf(response, this.#connection, { signal });
  }

  listen(): Promise<boolean> {
    return this.#isDead ? Promise.reject(new SessionLost("The server's stream has ended")) : Promise.resolve(true);
  }

  close(): Promise<void> {
    this.#isDead = true;
    this.#closed.abort();
    return Promise.resolve();
  }

  forget(): void {
    void this.close();
  }

  async #open(given: AbortSignal): Promise<void> {
    const impatience = AbortSignal.timeout(ENDPOINT_TIMEOUT_MS);
    const opening = AbortSignal.any([given, impatience]);
    const give = (): void => this.#closed.abort();
    opening.addEventListener("abort", give);
    try {
      const { url } = this.#connection;
      const headers = { accept: "text/event-stream" };
      const response = await send(this.#connection, { method: "GET", url, headers }, patienceOf(this.#closed.signal));
      if (!response.ok) throw await legacyRefusalOf(response, this.#connection, { signal: opening });
      if (mediaTypeOf(response) !== "stream") {
        discard(response);
        throw new McpError("invalid_response", "The server opened no stream");
      }
      await this.#endpointOf(response);
    } catch (error) {
      throw impatience.aborted ? new McpError("timeout", "No endpoint was named in time", { cause: error }) : error;
    } finally {
      opening.removeEventListener("abort", give);
    }
  }

  /** Resolves with the first event; the stream goes on being read after that. */
  #endpointOf(response: Response): Promise<void> {
    return new Promise((resolve, reject) => {
      const sink = {
        event: ({ event, data }: { event?: string | undefined; data: string }): void => {
          if (event === undefined || event === "message") this.#owner.received(parsed(data), undefined);
          if (event !== "endpoint" || this.#endpoint !== undefined) return;
          this.#endpoint = endpointAt(data.trim(), this.#connection.url);
          if (this.#endpoint !== undefined) return resolve();
          reject(new McpError("redirect_refused", "The server names an endpoint at another origin"));
        },
        retry: () => undefined,
      };
      const limits = { ...this.#connection.limits, maxStreamBytes: Infinity };
      const ended = (error: unknown): void => {
        reject(new McpError("invalid_response", "The stream named no endpoint", { cause: error }));
        this.#die(error);
      };
      readEvents(response.body, sink, { limits, signal: this.#closed.signal }).then(() => ended(undefined), ended);
    });
  }

  #die(error: unknown): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#closed.abort();
    this.#owner.deafened(error, true);
  }
}

/** Our choice: what is sent, and the token with it, is for the origin that the host chose. */
function endpointAt(address: string, url: string): string | undefined {
  if (!URL.canParse(address, url)) return undefined;
  const { origin, href } = new URL(address, url);
  return origin === new URL(url).origin ? href : undefined;
}
