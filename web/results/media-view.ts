/**
 * Pictures, sounds, and bytes of other kinds, from Base64. Each can be saved.
 */
import { decodeBase64 } from "../../src/protocol/base64.ts";
import { asText, button, h, saveFile } from "../dom.ts";

const DUMPED_BYTES = 512;
const LINE_BYTES = 16;

/** Shown as what its type says, where that is a kind that browsers show without running it. */
export function mediaView(mimeType: unknown, data: unknown, name = "content"): HTMLElement {
  const type = asText(mimeType);
  const bytes = decodeBase64(asText(data));
  if (bytes === undefined) return h("pre", { tabindex: 0 }, `${type}: not Base64`);
  const src = `data:${type};base64,${asText(data)}`;
  const kind = /^(image|audio)\/[\w.+-]+$/.exec(type)?.[1];
  const shown =
    kind === "image"
      ? h("img", { src, alt: "Image sent by the server" })
      : kind === "audio"
        ? h("audio", { src, controls: true })
        : h("pre", { tabindex: 0 }, dump(bytes.subarray(0, DUMPED_BYTES)));
  const save = button("Save", () => saveFile(name.replace(/[^\w.-]+/g, "_").slice(-80), bytes));
  return h("figure", {}, shown, h("figcaption", { class: "bar" }, `${type} ${sizeText(bytes.length)}`, save));
}

/** As `hexdump -C` has it. */
function dump(bytes: Uint8Array): string {
  let lines = "";
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = [...bytes.subarray(at, at + LINE_BYTES)];
    const hexes = line.map((byte) => hex(byte)).join(" ");
    const text = String.fromCharCode(...line).replace(/[^ -~]/g, ".");
    lines += `${hex(at, 4)}  ${hexes.padEnd(LINE_BYTES * 3)} ${text}\n`;
  }
  return lines;
}

function hex(number: number, digits = 2): string {
  return number.toString(16).padStart(digits, "0");
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 999_500 ? `${(bytes / 1_000).toPrecision(3)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
