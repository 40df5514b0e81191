/** The chat as a section: one for all servers. */
import type { MakeSection } from "../app.ts";
import { Chat } from "./chat.ts";

export const chatSection: MakeSection = (_server, app) => {
  const chat = new Chat(app);
  return { element: chat.element, show: () => chat.target };
};
