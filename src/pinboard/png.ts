/**
 * A PNG encoder for opaque 8-bit RGB pictures, on nothing but `CompressionStream`.
 *
 * Every row uses the filter Up: flat pictures have rows that repeat, which then become runs of zeros.
 *
 * @see https://www.w3.org/TR/png-3/ sections 5, 9 and 11.2
 */

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const TRUECOLOUR = 2;
const FILTER_UP = 2;
const CHANNELS = 3;

/** @param rgb `width * height * 3` bytes, row by row */
export async function encodePng(width: number, height: number, rgb: Uint8Array): Promise<Uint8Array> {
  if (rgb.length !== width * height * CHANNELS) throw new TypeError("rgb: not of the size that width and height give");
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, TRUECOLOUR], 8);
  const data = await deflate(filterUp(rgb, width * CHANNELS));
  return concat([
    Uint8Array.from(SIGNATURE),
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", new Uint8Array()),
  ]);
}

function filterUp(rgb: Uint8Array, stride: number): Uint8Array<ArrayBuffer> {
  const rows = rgb.length / stride;
  const filtered = new Uint8Array(rgb.length + rows);
  for (let row = 0, from = 0, to = 0; row < rows; row++) {
    filtered[to++] = FILTER_UP;
    // Reading before the start yields undefined, which counts as the 0 that PNG wants there. Uint8Array wraps around.
    for (const end = from + stride; from < end; from++) filtered[to++] = (rgb[from] ?? 0) - (rgb[from - stride] ?? 0);
  }
  return filtered;
}

/** The format that CompressionStream calls "deflate" is zlib's, which is PNG's. */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const compressed = new Response(bytes).body?.pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? 0xedb88320 ^ (remainder >>> 1) : remainder >>> 1;
  return remainder;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
