/**
 * How the messages of a legacy session travel: Streamable HTTP, or HTTP+SSE before it. A wire knows of no request but
 * those it carries, and hands what arrives to its owner.
 */
import type { JsonObject } from "../../protocol/types.ts";
import type { Patience } from "../http-request.ts";

/** Its signal also ends the reading of the answer. */
export interface Outgoing extends Patience {
  /** The id of the request that is sent. Undefined for notifications and responses, to which nothing is answered. */
  readonly id?: number | undefined;
}

export interface Wire {
  /**
   * Sends a message. Resolves when it is accepted and nothing more can arrive for it on a stream of its own; where
   * responses take another way, that is at once.
   *
   * @throws {SessionLost} when the server no longer knows the session, and so has not acted on the message, unless that is
   *   hearsay
   */
  send(message: JsonObject, outgoing: Outgoing): Promise<void>;
  /** Whether responses may still come after `send` has resolved. */
  readonly answersLater: boolean;
  /** To be told once `initialize` has been answered, since later messages name the version. */
  agreed(version: string): void;
  /**
   * Opens the stream of what belongs to no request, unless it is open.
   *
   * @returns whether the server offers one
   * @throws {SessionLost}
   */
  listen(): Promise<boolean>;
  /** Ends all streams, and the session where the server keeps one. Never rejects. */
  close(): Promise<void>;
  /** Ends the stream of what belongs to no request. Others go on: the server may answer what it had begun. */
  forget(): void;
}

export interface WireOwner {
  /** A message, not looked at any further; with the id of the request on whose stream it came, where it came on one. */
  received(message: unknown, requestId: number | undefined): void;
  /**
   * The stream of what belongs to no request ended, and what the server sends now is lost.
   *
   * @param isMute whether it carried the responses too
   */
  deafened(error: unknown, isMute: boolean): void;
}

/** The server has forgotten the session. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
  /** Whether only words say so: then the message may have been acted on all the same. */
  isHearsay = false;
}
