/** The same thing in several views, made when they are looked at. */
import { box, button, h } from "../dom.ts";

export type View = readonly [label: string, make: () => HTMLElement];

/** The first is shown. A single one comes without a choice. */
export function switcher(views: readonly View[]): HTMLElement {
  const slot = box("stack");
  const buttons = views.map(([label, make]) =>
    button(label, (self) => {
      for (const each of buttons) each.ariaPressed = String(each === self);
      slot.replaceChildren(make());
    }),
  );
  buttons[0]?.click();
  const choice = h("div", { class: "bar", role: "group", "aria-label": "Show as" }, ...buttons);
  return box("stack", views.length > 1 && choice, slot);
}
