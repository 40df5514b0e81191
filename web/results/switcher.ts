/** The same thing in several views, made when they are looked at. */
import { button, h } from "../dom.ts";

export type View = readonly [label: string, make: () => HTMLElement];

/** The first is shown. A single one comes without a choice. */
export function switcher(views: readonly View[]): HTMLElement {
  const slot = h("div", { class: "stack" });
  const buttons = views.map(([label, make]) =>
    button(label, (self) => {
      for (const each of buttons) each.ariaPressed = String(each === self);
      slot.replaceChildren(make());
    }),
  );
  buttons[0]?.click();
  return views.length < 2
    ? slot
    : h(
        "div",
        { class: "stack" },
        h("div", { class: "bar", role: "group", "aria-label": "Show as" }, ...buttons),
        slot,
      );
}
