/** The smallest image and sound that real decoders accept. */

/** A PNG of one red pixel. */
export const RED_PIXEL: Uint8Array = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"),
  (character) => character.charCodeAt(0),
);

const SAMPLE_RATE = 8_000;
const SAMPLES = 80;
const HEADER_BYTES = 44;

/** A WAV file of 10 ms of silence: PCM, mono, 16 bits. */
export function silence(): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + SAMPLES * 2);
  const view = new DataView(bytes.buffer);
  const tag = (offset: number, name: string): void => bytes.set(new TextEncoder().encode(name), offset);
  tag(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  tag(8, "WAVEfmt ");
  view.setUint32(16, 16, true); // The length of this chunk.
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // Channels
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * 2, true); // Bytes a second
  view.setUint16(32, 2, true); // Bytes a frame
  view.setUint16(34, 16, true); // Bits a sample
  tag(36, "data");
  view.setUint32(40, SAMPLES * 2, true);
  return bytes;
}
