/**
 * What a tool tells those who listen, once notes have changed.
 */
import type { RequestContext } from "../index.ts";
import type { Env } from "./env.ts";
import { boardUri, noteUri } from "./note.ts";

export interface Happening {
  /** As typed. */
  readonly board: string;
  /** The notes that were pinned, changed, or taken off. */
  readonly notes: readonly number[];
  /** Whether the board came into being, or went: `resources/list` shows the boards. */
  readonly boardsChanged: boolean;
}

/**
 * In one go, which makes it one message however many notes there are. Nobody waits for it: the tool has done what it was
 * asked for, whether or not anybody hears of it.
 */
export function announce({ notify }: RequestContext<Env>, { board, notes, boardsChanged }: Happening): void {
  if (boardsChanged) void notify.resourcesChanged();
  void notify.resourceUpdated(boardUri(board));
  for (const id of notes) void notify.resourceUpdated(noteUri(board, id));
}
