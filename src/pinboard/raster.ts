/**
 * A small drawing surface: opaque RGB pixels, rounded rectangles with smooth edges, and digits.
 */

/** `0xrrggbb`. */
export type Rgb = number;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Digits on a grid of 3 × 5, one octal digit a row. */
const DIGITS: readonly string[] = [
  "75557",
  "26227",
  "71747",
  "71717",
  "55711",
  "74717",
  "74757",
  "71122",
  "75757",
  "75717",
];
const DIGIT_WIDTH = 3;

export class Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;

  constructor(width: number, height: number, background: Rgb) {
    this.width = width;
    this.height = height;
    this.rgb = new Uint8Array(width * height * 3);
    for (let pixel = 0; pixel < width * height; pixel++) this.rgb.set(channels(background), pixel * 3);
  }

  /** Paints a rectangle with corners of `radius`, mixing with what is there by `opacity` and by how much of a pixel it covers. */
  paint({ x, y, width, height }: Box, colour: Rgb, { radius = 0, opacity = 1 } = {}): void {
    const middle = { x: x + width / 2, y: y + height / 2 };
    const reach = { x: width / 2 - radius, y: height / 2 - radius };
    for (let row = Math.max(0, Math.floor(y)); row < Math.min(this.height, Math.ceil(y + height)); row++) {
      for (let column = Math.max(0, Math.floor(x)); column < Math.min(this.width, Math.ceil(x + width)); column++) {
        // Signed distance from the middle of the pixel to the outline, negative inside.
        const dx = Math.abs(column + 0.5 - middle.x) - reach.x;
        const dy = Math.abs(row + 0.5 - middle.y) - reach.y;
        const distance = dx > 0 && dy > 0 ? Math.hypot(dx, dy) - radius : Math.max(dx, dy) - radius;
        const coverage = Math.min(1, Math.max(0, 0.5 - distance));
        if (coverage > 0) this.#mix(column, row, colour, coverage * opacity);
      }
    }
  }

  /** Writes a number with pixels of the given size. @returns the width it took */
  number(value: number, at: { readonly x: number; readonly y: number }, colour: Rgb, pixel = 2): number {
    let { x } = at;
    for (const digit of String(value)) {
      const rows = DIGITS[Number(digit)] ?? "";
      for (const [row, bits] of Array.from(rows).entries()) {
        for (let column = 0; column < DIGIT_WIDTH; column++) {
          if (((Number(bits) >> (DIGIT_WIDTH - 1 - column)) & 1) === 0) continue;
          this.paint({ x: x + column * pixel, y: at.y + row * pixel, width: pixel, height: pixel }, colour);
        }
      }
      x += (DIGIT_WIDTH + 1) * pixel;
    }
    return x - at.x - pixel;
  }

  #mix(column: number, row: number, colour: Rgb, share: number): void {
    const at = (row * this.width + column) * 3;
    for (const [channel, value] of channels(colour).entries()) {
      const old = this.rgb[at + channel] ?? 0;
      this.rgb[at + channel] = Math.round(old + (value - old) * share);
    }
  }
}

function channels(colour: Rgb): [number, number, number] {
  return [(colour >> 16) & 0xff, (colour >> 8) & 0xff, colour & 0xff];
}
