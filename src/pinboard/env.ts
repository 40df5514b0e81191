/**
 * Bindings and variables of the deployed Worker, as wrangler.toml and the dashboard set them; and the way to a board.
 */
import { ToolError } from "../index.ts";
import { type Board, DIRECTORY_NAME } from "./board.ts";
import type { Directory } from "./directory.ts";
import { MAX_BOARD_NAME_LENGTH, toBoardName } from "./note.ts";

export interface Env {
  readonly BOARDS: DurableObjectNamespace<Board>;
  readonly DIRECTORY: DurableObjectNamespace<Directory>;
  /** Host names to answer to, separated by commas, or `loopback`. Unset: any. */
  readonly ALLOWED_HOSTS?: string;
  /** Origins of pages that may call from elsewhere, separated by commas; `*` for all. Unset: none. */
  readonly ALLOWED_ORIGINS?: string;
  /** A secret: 32 bytes as hex or Base64. Several, separated by commas, while a new one takes over from an old one. */
  readonly STATE_KEY?: string;
}

/** @throws {ToolError} for a name that fits the schema as it was typed, but is too long in normal form */
export function boardNamed(env: Env, board: string): DurableObjectStub<Board> {
  const name = toBoardName(board);
  if (name === undefined) {
    throw new ToolError(
      `The board's name has more than ${MAX_BOARD_NAME_LENGTH} characters in its normal form (NFC). Choose a shorter one.`,
    );
  }
  return env.BOARDS.getByName(name);
}

export async function boardNames(env: Env): Promise<string[]> {
  return env.DIRECTORY.getByName(DIRECTORY_NAME).names();
}
