/** Long text, of which the whole is shown when somebody asks. */
import { button, type Child } from "../dom.ts";

/** To be put into an element of their own. */
export function cut(text: string, length: number): Child[] {
  if (text.length <= length) return [text];
  const more = button(`… all ${text.length.toLocaleString("en")} characters`, (self) =>
    self.parentElement?.replaceChildren(text),
  );
  return [text.slice(0, length), more];
}
