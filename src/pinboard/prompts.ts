/**
 * Prompts around a board: to sum it up, and to fill it.
 */
import { type Completer, ErrorCode, type McpServer, type PromptMessage, ProtocolError } from "../index.ts";
import { boardNamed, type Env } from "./env.ts";
import { ICONS } from "./icons.ts";
import { boardUri, toBoardName } from "./note.ts";
import { completeBoard, toMarkdown } from "./resources.ts";

const STYLES = ["one paragraph", "bullet points", "decisions and open questions", "a stand-up report"];

const completeStyle: Completer<Env> = (value) => STYLES.filter((style) => style.startsWith(value.toLowerCase()));

export function addPrompts(server: McpServer<Env>): void {
  server.prompt(
    "summarise_board",
    {
      title: "Sum up a board",
      description: "Puts a board in front of the model and asks what it says.",
      icons: ICONS.pin,
      arguments: [
        { name: "board", title: "Board", description: "The board to sum up.", required: true, complete: completeBoard },
        {
          name: "style",
          title: "Style",
          description: `How, for example: ${STYLES.join("; ")}.`,
          complete: completeStyle,
        },
      ],
    },
    async ({ board, style = "one paragraph" }, { env }) => [
      text(
        `Sum up the notes on the board “${board}” below as ${style}. ` +
          "Group what belongs together, mention numbers of notes in brackets, and add nothing that is not there.",
      ),
      await boardMessage(env, board),
    ],
  );

  server.prompt(
    "brainstorm",
    {
      title: "Brainstorm",
      description: "Asks the model for ideas on a topic, and to pin them to a board.",
      icons: ICONS.add,
      arguments: [
        { name: "topic", title: "Topic", description: "What to think about.", required: true },
        {
          name: "board",
          title: "Board",
          description: "Where to pin the ideas. Default: ideas.",
          complete: completeBoard,
        },
      ],
    },
    ({ topic, board = "ideas" }) =>
      `Think of eight ideas about: ${topic}\n\n` +
      `First look at the board “${board}” with search_notes, if it exists, so that nothing is there twice. ` +
      `Then pin each idea with add_note: one sentence a note, and a colour for each kind of idea.`,
  );
}

function text(content: string): PromptMessage {
  return { role: "user", content: { type: "text", text: content } };
}

/** The board as an embedded resource. @throws {ProtocolError} −32602 when it does not exist */
async function boardMessage(env: Env, board: string): Promise<PromptMessage> {
  const { notes, size } =
    toBoardName(board) === undefined ? { notes: [], size: 0 } : await boardNamed(env, board).find();
  if (size === 0)
    throw new ProtocolError(ErrorCode.InvalidParams, "Invalid params: board: there is no such board", {
      argument: "board",
    });
  const resource = { uri: boardUri(board), mimeType: "text/markdown", text: toMarkdown(board, notes) };
  return { role: "user", content: { type: "resource", resource } };
}
