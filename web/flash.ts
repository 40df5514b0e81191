/**
 * Marks an element as new, for as long as it takes to notice. The style sheet says how that looks.
 */

const FLASH_MS = 4_000;
const timers = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();

export function flash(element: HTMLElement): void {
  clearTimeout(timers.get(element));
  element.dataset["fresh"] = "";
  timers.set(
    element,
    setTimeout(() => delete element.dataset["fresh"], FLASH_MS),
  );
}
