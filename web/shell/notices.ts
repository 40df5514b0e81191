/** Short notices in a corner, read out by screen readers. */
import { h } from "../dom.ts";

const SHOWN_MS = 6_000;

export class Notices {
  readonly element = h("div", { class: "notices", role: "status" });

  say(text: string): void {
    const notice = h("p", { class: "notice" }, text);
    this.element.append(notice);
    setTimeout(() => notice.remove(), SHOWN_MS);
  }
}
