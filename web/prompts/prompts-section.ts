/** The prompts of a server. */
import type { Prompt } from "../../src/client.ts";
import type { MakeSection } from "../app.ts";
import { entryOf } from "../resources/described.ts";
import { hrefTo } from "../route.ts";
import { browse } from "../shell/browse.ts";
import { ListPane } from "../shell/list-pane.ts";
import { promptView } from "./prompt-view.ts";

export const promptsSection: MakeSection = (server) => {
  const { prompts } = server;
  const pane = new ListPane<Prompt>({
    title: "Prompts",
    list: prompts,
    none: "None.",
    entryOf: (prompt) => entryOf(prompt, prompt.name, hrefTo("prompts", prompt.name)),
  });
  const promptAt = ([wanted]: readonly string[]): Prompt | undefined =>
    prompts.state.value.items.find(({ name }) => name === wanted);
  const section = browse({
    section: "prompts",
    back: "All prompts",
    hint: "Choose a prompt.",
    list: [pane.element],
    select: (key) => pane.select(key),
    said: promptAt,
    open: (path) => {
      const prompt = promptAt(path);
      return prompt && promptView(server, prompt);
    },
  });
  prompts.state.watch(() => section.again());
  return section;
};
