/**
 * A board as a picture: each note a coloured card with its number, its text as lines of bars as long as the words are.
 *
 * Bars instead of letters keep the picture honest in every script without a font to carry.
 */
import { type Colour, lengthOf, type Note } from "./note.ts";
import { encodePng } from "./png.ts";
import { Raster, type Rgb } from "./raster.ts";

/** More cards than this are too many to see, and cost more to compress than the Free plan's 10 ms. */
export const MAX_CARDS = 20;

const CARD = { width: 132, height: 112 };
const GAP = 20;
const MARGIN = 28;
const MAX_COLUMNS = 5;
const PADDING = 14;
const LINE_HEIGHT = 12;
const BAR_HEIGHT = 5;
/** Widths of a letter and a space, in pixels. */
const LETTER = 4;
const SPACE = 5;

const WALL: Rgb = 0xf3eee6;
const WALL_DOT: Rgb = 0xe3dbce;
const SHADOW: Rgb = 0x4a3f2f;

interface Paper {
  readonly sheet: Rgb;
  readonly ink: Rgb;
  readonly pin: Rgb;
}

const PAPERS: Readonly<Record<Colour, Paper>> = {
  yellow: { sheet: 0xfde68a, ink: 0x92610e, pin: 0xdc2626 },
  pink: { sheet: 0xfbcfe0, ink: 0x9d2b5f, pin: 0x0d9488 },
  blue: { sheet: 0xbfdbfe, ink: 0x1e4fa3, pin: 0xea7317 },
  green: { sheet: 0xbfeccb, ink: 0x17693b, pin: 0x7c3aed },
  violet: { sheet: 0xddd0fb, ink: 0x5b36a8, pin: 0xe0a100 },
};

/** Draws the first `MAX_CARDS` of `notes`. @returns a PNG */
export async function drawBoard(notes: readonly Note[]): Promise<Uint8Array> {
  const cards = notes.slice(0, MAX_CARDS);
  // As square as the number allows; a lone card still gets some wall around it.
  const columns = Math.min(MAX_COLUMNS, Math.max(2, Math.ceil(Math.sqrt(cards.length * 1.4))));
  const rows = Math.max(1, Math.ceil(cards.length / columns));
  const width = 2 * MARGIN + columns * CARD.width + (columns - 1) * GAP;
  const height = 2 * MARGIN + rows * CARD.height + (rows - 1) * GAP;
  const raster = new Raster(width, height, WALL);
  for (let y = 10; y < height; y += 16) {
    for (let x = 10; x < width; x += 16) raster.paint({ x, y, width: 2, height: 2 }, WALL_DOT);
  }
  for (const [index, note] of cards.entries()) {
    const column = index % columns;
    const row = Math.floor(index / columns);
    // Cards that hang a little high or low look pinned by hand. The note decides, so the picture does not jump about.
    const sway = ((note.id * 7) % 7) - 3;
    drawCard(raster, note, {
      x: MARGIN + column * (CARD.width + GAP),
      y: MARGIN + row * (CARD.height + GAP) + sway,
    });
  }
  return encodePng(width, height, raster.rgb);
}

function drawCard(raster: Raster, { id, text, colour }: Note, { x, y }: { x: number; y: number }): void {
  const { sheet, ink, pin } = PAPERS[colour];
  for (const spread of [5, 3, 1]) {
    const box = { x: x - spread, y: y + 4 - spread, width: CARD.width + 2 * spread, height: CARD.height + 2 * spread };
    raster.paint(box, SHADOW, { radius: 5 + spread, opacity: 0.05 });
  }
  raster.paint({ x, y, ...CARD }, sheet, { radius: 5 });
  drawText(raster, text, { x: x + PADDING, y: y + 36 }, ink);
  raster.number(id, { x: x + PADDING, y: y + 14 }, ink);
  const middle = x + CARD.width / 2;
  raster.paint({ x: middle - 5, y: y - 2, width: 12, height: 12 }, SHADOW, { radius: 6, opacity: 0.25 });
  raster.paint({ x: middle - 6, y: y - 5, width: 12, height: 12 }, pin, { radius: 6 });
  raster.paint({ x: middle - 3, y: y - 3, width: 4, height: 4 }, 0xffffff, { radius: 2, opacity: 0.7 });
}

/** Words as bars, broken like text is. The last line that fits ends short when more follows. */
function drawText(raster: Raster, text: string, at: { x: number; y: number }, ink: Rgb): void {
  const width = CARD.width - 2 * PADDING;
  const lines = Math.floor((CARD.height - 36 - PADDING + LINE_HEIGHT - BAR_HEIGHT) / LINE_HEIGHT);
  let line = 0;
  let x = 0;
  for (const paragraph of text.trim().split(/\n+/)) {
    if (x > 0) line += 1;
    x = 0;
    for (const word of paragraph.match(/\S+/g) ?? []) {
      const length = Math.min(width, Math.max(LETTER, lengthOf(word) * LETTER));
      if (x > 0 && x + length > width) {
        line += 1;
        x = 0;
      }
      if (line >= lines) return;
      const box = { x: at.x + x, y: at.y + line * LINE_HEIGHT, width: length, height: BAR_HEIGHT };
      raster.paint(box, ink, { radius: 2.5, opacity: 0.55 });
      x += length + SPACE;
    }
  }
}
