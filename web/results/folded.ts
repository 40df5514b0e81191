/** What is made when somebody opens it: the rest of a long list, the same thing in another view. */
import { type Child, h } from "../dom.ts";

/** Made at once where it is open at first. */
export function folded(make: () => readonly HTMLElement[], isOpen: boolean, ...label: readonly Child[]): HTMLElement {
  const summary = h("summary", {}, ...label);
  const details = h("details", { open: isOpen }, summary);
  const open = (): unknown => summary.nextSibling ?? details.append(...make());
  details.addEventListener("toggle", open);
  if (isOpen) open();
  return details;
}
