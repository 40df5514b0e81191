/**
 * The Durable Object that knows which boards exist: names, and nothing else.
 *
 * There is one for the whole deployment. It is asked when a board gets its first note or loses its last, and when somebody
 * lists or completes board names; the notes themselves never pass through it.
 */
import { DurableObject } from "cloudflare:workers";
import { isBoardName, MAX_BOARDS } from "./note.ts";

export class Directory extends DurableObject {
  readonly #sql: SqlStorage;

  constructor(state: DurableObjectState, env: object) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#sql.exec("CREATE TABLE IF NOT EXISTS board (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID");
  }

  /** @returns false when there is no room for another board. @throws {TypeError} when it is not a board name */
  add(name: string): boolean {
    if (!isBoardName(name)) throw new TypeError("name: not a board name");
    if (this.#sql.exec("SELECT 1 FROM board WHERE name = ?", name).toArray().length > 0) return true;
    const { count } = this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM board").one();
    if (count >= MAX_BOARDS) return false;
    this.#sql.exec("INSERT INTO board (name) VALUES (?)", name);
    return true;
  }

  /** @throws {TypeError} when it is not a board name */
  remove(name: string): void {
    if (!isBoardName(name)) throw new TypeError("name: not a board name");
    this.#sql.exec("DELETE FROM board WHERE name = ?", name);
  }

  /** In code point order; at most `MAX_BOARDS`. */
  names(): string[] {
    return this.#sql
      .exec<{ name: string }>("SELECT name FROM board ORDER BY name")
      .toArray()
      .map(({ name }) => name);
  }
}
