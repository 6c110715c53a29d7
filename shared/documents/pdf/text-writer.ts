import type PDFKit from 'pdfkit';
import { FontStack } from './fonts.js';
import { breakLines, type LayoutWord, measureLine, sortVisually, type TextRun } from './line-breaks.js';
import { RIGHT_TO_LEFT_FEATURE, type ShapedFont } from './shaped-font.js';

export type PdfDocument = InstanceType<typeof PDFKit>;

export interface TextStyle {
  size: number;
  isBold?: boolean;
  color?: string;
}

export interface TextBox {
  x: number;
  width: number;
  align?: 'left' | 'right' | 'center';
}

export interface TextBlock {
  lines: LayoutWord[][];
  height: number;
  lineHeight: number;
  style: TextStyle;
  box: TextBox;
}

export const BLACK = '#111111';

/** In multiples of the font size. */
const LINE_HEIGHT = 1.36;
/** Distance of the baseline from the top of a line, in multiples of the font size. */
const BASELINE = 1.03;

const FONTS = { regular: new FontStack('regular'), bold: new FontStack('bold') };

/**
 * Lays out and draws text, with a suitable font for each character. PDFKit alone would draw a text
 * in one font, without the characters that this font lacks.
 */
export class TextWriter {
  private readonly registered = new Set<string>();

  constructor(private readonly pdf: PdfDocument) {}

  /**
   * Breaks a text into lines that fit into a box.
   * @param maxLines if the text has more lines, the rest is dropped and the last kept line gets an
   * ellipsis
   */
  layOut(text: string, style: TextStyle, box: TextBox, maxLines?: number): TextBlock {
    const fonts = style.isBold ? FONTS.bold : FONTS.regular;
    const width = (box.width * 1000) / style.size;
    const lines = breakLines(text, { fonts, width, ...(maxLines === undefined ? {} : { maxLines }) });
    const lineHeight = style.size * LINE_HEIGHT;
    return { lines, lineHeight, height: lines.length * lineHeight, style, box };
  }

  /** @param y the top of the block */
  draw(block: TextBlock, y: number): void {
    for (const [index, line] of block.lines.entries())
      this.drawLine(line, y + index * block.lineHeight, block);
  }

  drawLine(line: LayoutWord[], y: number, { style, box }: Pick<TextBlock, 'style' | 'box'>): void {
    const { size, color = BLACK } = style;
    const free = box.width - (measureLine(line) * size) / 1000;
    let x = box.x + (box.align === 'right' ? free : box.align === 'center' ? free / 2 : 0);
    this.pdf.fontSize(size).fillColor(color);
    for (const piece of mergeRuns(line)) {
      this.drawPiece(piece, x, y + size * BASELINE);
      x += (piece.width * size) / 1000;
    }
  }

  private drawPiece({ font, text, isRightToLeft }: Piece, x: number, y: number): void {
    this.useFont(font);
    const options = { lineBreak: false, baseline: 'alphabetic' } as const;
    this.pdf.text(text, x, y, isRightToLeft ? { ...options, features: [RIGHT_TO_LEFT_FEATURE] } : options);
  }

  private useFont({ name, font }: ShapedFont): void {
    if (!this.registered.has(name)) {
      // PDFKit also accepts an open fontkit font, but its types do not declare that.
      this.pdf.registerFont(name, font as unknown as Buffer);
      this.registered.add(name);
    }
    this.pdf.font(name);
  }
}

interface Piece extends TextRun {
  isRightToLeft: boolean;
}

/**
 * Merges adjacent left-to-right runs in one font into one piece. Right-to-left words stay separate.
 */
function mergeRuns(line: LayoutWord[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { runs, level } of sortVisually(line)) {
    const isRightToLeft = level % 2 === 1;
    for (const run of isRightToLeft ? runs.toReversed() : runs) {
      const last = pieces.at(-1);
      if (last && !last.isRightToLeft && !isRightToLeft && last.font === run.font) {
        last.text += run.text;
        last.width += run.width;
      } else pieces.push({ ...run, isRightToLeft });
    }
  }
  return pieces;
}
