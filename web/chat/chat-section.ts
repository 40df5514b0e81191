/** The chat, which loads when somebody first goes there. */
import type { MakeSection } from "../app.ts";
import { h } from "../dom.ts";
import { failureBlock } from "../results/failure.ts";

export const chatSection: MakeSection = (_server, app) => {
  const element = h("div", {}, h("p", { class: "empty large" }, "Loading…"));
  const load = async (): Promise<void> => {
    try {
      const { Chat } = await import("./chat.ts");
      const chat = new Chat(app);
      element.replaceChildren(chat.element);
      chat.focus();
    } catch (error) {
      element.replaceChildren(failureBlock(error));
    }
  };
  void load(); // Never rejects.
  return { element, show: () => element.querySelector("h2") ?? undefined };
};
