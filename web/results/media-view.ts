/**
 * Pictures, sounds, and bytes of other kinds, from Base64. Each can be saved.
 */
import { decodeBase64 } from "../../src/protocol/base64.ts";
import { asText, button, h, saveFile } from "../dom.ts";

const DUMPED_BYTES = 512;

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
        : h(
            "pre",
            { tabindex: 0 },
            [...bytes.subarray(0, DUMPED_BYTES)].map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
          );
  const save = button("Save", () => saveFile(name, bytes));
  return h("figure", {}, shown, h("figcaption", { class: "bar" }, `${type} ${sizeText(bytes.length)}`, save));
}

export function sizeText(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(2)} kB`;
}
