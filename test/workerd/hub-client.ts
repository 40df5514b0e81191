/**
 * A Worker's end of a socket to a hub, and what tests do to the hub behind it.
 */
import { runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import {
  decodeFrame,
  encodeJoin,
  FRAME_VERSIONS,
  interestOf,
  JOIN_HEADER,
  type NumberedChange,
  PONG,
  type Position,
} from "../../src/cloudflare/frames.ts";
import type { SubscriptionHub } from "../../src/cloudflare/hub.ts";
import type { SubscriptionFilter } from "../../src/protocol/subscription.ts";

/** The bindings of wrangler.toml, which the generic type does not know. */
export const { SUBSCRIPTION_HUB: hubs } = bindings as unknown as {
  SUBSCRIPTION_HUB: DurableObjectNamespace<SubscriptionHub>;
};

export type Hub = DurableObjectStub<SubscriptionHub>;

export const TOOLS = { toolsListChanged: true } as const;
export const tools = { type: "toolsListChanged" } as const;
export const prompts = { type: "promptsListChanged" } as const;
export const updated = (uri: string) => ({ type: "resourceUpdated", uri }) as const;

/** What is asked for in a join: all of it is legal here. */
export function joinHeader(filter: SubscriptionFilter, resume?: Position, versions = FRAME_VERSIONS): string {
  return encodeJoin({ versions, interest: interestOf(filter), resume });
}

/** Asks a hub to let join. */
export function dial(hub: Hub, header: string | undefined, upgrade = "websocket"): Promise<Response> {
  return hub.fetch("https://hub.invalid/", {
    headers: { ...(upgrade !== "" && { upgrade }), ...(header !== undefined && { [JOIN_HEADER]: header }) },
  });
}

/** One socket, and what has arrived on it. */
export class HubClient {
  readonly socket: WebSocket;
  readonly changes: NumberedChange[] = [];
  /** Sizes of the frames that brought them. */
  readonly frames: number[] = [];
  joined: { readonly position: Position; readonly missed: boolean } | undefined;
  closeCode: number | undefined;
  #wake: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const frame = data === PONG ? undefined : decodeFrame(data);
      if (frame?.type === "joined") this.joined = frame;
      if (frame?.type === "changes") {
        this.changes.push(...frame.changes);
        this.frames.push(frame.changes.length);
      }
      this.#wake();
    });
    socket.addEventListener("close", ({ code }) => {
      this.closeCode = code;
      this.#wake();
    });
    // As when the object behind it is aborted.
    socket.addEventListener("error", () => {
      this.closeCode ??= 1_006;
      this.#wake();
    });
    socket.accept();
  }

  static async join(hub: Hub, filter: SubscriptionFilter, resume?: Position): Promise<HubClient> {
    const { status, webSocket } = await dial(hub, joinHeader(filter, resume));
    if (webSocket === null) throw new Error(`not joined: ${status}`);
    const client = new HubClient(webSocket);
    await client.until(() => client.joined !== undefined || client.closeCode !== undefined);
    if (client.joined === undefined) throw new Error(`closed: ${client.closeCode}`);
    return client;
  }

  get seqs(): number[] {
    return this.changes.map(({ seq }) => seq);
  }

  /** Where to go on, as a Worker would. */
  get position(): Position {
    if (this.joined === undefined) throw new Error("not joined");
    const { epoch, seq } = this.joined.position;
    return { epoch, seq: this.changes.at(-1)?.seq ?? seq };
  }

  /** Resolves once it holds, which is looked at whenever something arrives. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async received(count: number): Promise<void> {
    await this.until(() => this.changes.length >= count);
  }

  async closed(): Promise<void> {
    await this.until(() => this.closeCode !== undefined);
  }
}

/** Numbers from first to last. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Runs SQL on the hub's storage. */
export function sql(hub: Hub, statement: string): Promise<Record<string, SqlStorageValue>[]> {
  return runInDurableObject(hub, (_hub, { storage }) => storage.sql.exec(statement).toArray());
}

export function tables(hub: Hub): Promise<Record<string, SqlStorageValue>[]> {
  return sql(hub, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'");
}

export function pendingAlarm(hub: Hub): Promise<number | null> {
  return runInDurableObject(hub, (_hub, { storage }) => storage.getAlarm());
}

/** As if all that the hub has were published two hours ago. */
export async function age(hub: Hub): Promise<void> {
  await sql(hub, "UPDATE change SET at = at - 7200000");
}

/** Resolves once it holds; what is waited for happens inside other objects. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await scheduler.wait(5);
}
