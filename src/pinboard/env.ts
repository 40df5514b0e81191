/**
 * Bindings and variables of the deployed Worker, as wrangler.toml and the dashboard set them; and the way to a board.
 */
import { type Board, DIRECTORY_NAME } from "./board.ts";
import type { Directory } from "./directory.ts";

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

/** Names that look the same are the same board, however they were typed. */
export function boardNamed(env: Env, board: string): DurableObjectStub<Board> {
  return env.BOARDS.getByName(board.normalize("NFC"));
}

export async function boardNames(env: Env): Promise<string[]> {
  return env.DIRECTORY.getByName(DIRECTORY_NAME).names();
}
