/**
 * Pictures, sounds, and bytes of other kinds, from Base64. Each can be saved.
 */
import { decodeBase64 } from "../../src/protocol/base64.ts";
import { openDialog } from "../dialog.ts";
import { asText, button, h, imageUri, saveFile } from "../dom.ts";

const AUDIO_TYPE = /^audio\/[\w.+-]+$/i;
/** A multiple of three, so that their digits end with a group. */
const DUMPED_BYTES = 513;
const LINE_BYTES = 16;

/** Shown as what its type says, where that is a kind that this page shows. */
export function mediaView(mimeType: unknown, data: unknown, name = "content"): HTMLElement {
  const type = asText(mimeType);
  const base64 = asText(data);
  const size = sizeText(base64.replace(/=+$/, "").length * 0.75);
  const caption = h("figcaption", { class: "bar" }, type, " ", size);
  const image = imageUri(type, base64);
  const audio = imageUri(type, base64, AUDIO_TYPE);
  let shown: HTMLElement;
  if (image !== undefined) {
    const title = `${type} ${size}`;
    const full = (): HTMLElement => h("div", { class: "scroll", tabindex: 0 }, h("img", { src: image, alt: title }));
    shown = button(
      "",
      () => {
        void openDialog({ title, wide: true, body: [full()], actions: [{ value: "", label: "Close" }] });
      },
      "picture",
    );
    const picture = h("img", { src: image, alt: "Image sent by the server" });
    picture.addEventListener("load", () => caption.prepend(`${picture.naturalWidth} × ${picture.naturalHeight} `));
    picture.addEventListener("error", () => caption.append(" It is no image that this browser shows."));
    shown.append(picture);
    shown.title = "Full size";
  } else if (audio !== undefined) {
    shown = h("audio", { controls: true, src: audio });
    shown.addEventListener("error", () => caption.append(" It is no sound that this browser plays."));
  } else shown = h("pre", { tabindex: 0 }, dump(base64));
  const bytes = decodeBase64(base64);
  if (bytes !== undefined)
    caption.append(button("Save", () => saveFile(name.replace(/[^\w.-]+/g, "_").slice(-80), bytes)));
  return h("figure", {}, shown, caption);
}

/** As `hexdump -C` has it. */
export function dump(base64: string): string {
  const bytes = decodeBase64(base64.slice(0, (DUMPED_BYTES / 3) * 4));
  if (bytes === undefined) return "This is not Base64.";
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = [...bytes.subarray(at, at + LINE_BYTES)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = line.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(4, "0")}  ${hex.padEnd(LINE_BYTES * 3)} ${text}`);
  }
  return lines.join("\n");
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${Math.floor(bytes)} bytes`;
  return bytes < 999_500 ? `${(bytes / 1_000).toPrecision(3)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
