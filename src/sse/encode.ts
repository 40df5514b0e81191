/**
 * Server-sent events, the writing half: text in, frames out. Knows nothing of MCP.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */

/**
 * One event of the default type. Line breaks in `data` become further `data:` lines, so no input can end the event early
 * or start a field of its own; JSON has none and stays on one line.
 */
export function encodeEvent(data: string): string {
  return /[\r\n]/.test(data) ? `data: ${data.split(/\r\n|\r|\n/).join("\ndata: ")}\n\n` : `data: ${data}\n\n`;
}

/** A comment: keeps idle connections open, and shows whether anybody still listens. */
export const KEEP_ALIVE = ":\n\n";
