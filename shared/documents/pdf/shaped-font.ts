import { readFileSync } from 'node:fs';
import { create, type Font } from 'fontkit';
import { Blob, Buffer, BufferFlag, Direction, Face, Font as ShapingFont, shape } from 'harfbuzzjs';
import { LRUCache } from 'lru-cache';
import { bidi } from './bidi.js';

/**
 * A glyph and the characters that it stands for. PDFKit writes `codePoints` into the PDF, so that
 * viewers can search and copy the text.
 */
interface ShapedGlyph {
  id: number;
  advanceWidth: number;
  codePoints: number[];
}

interface Position {
  xAdvance: number;
  yAdvance: number;
  xOffset: number;
  yOffset: number;
}

/** Glyphs of one font from left to right, in font units. */
export interface ShapedText {
  glyphs: ShapedGlyph[];
  positions: Position[];
  advanceWidth: number;
}

/**
 * PDFKit's option for right-to-left text: with this OpenType feature, a {@link ShapedFont} shapes
 * the text from right to left.
 */
export const RIGHT_TO_LEFT_FEATURE = 'rtlm';

/**
 * Maximum characters in the cache of shaped texts, for all fonts together. A character takes about
 * 200 bytes.
 */
const MAX_CACHED_CHARACTERS = 20_000;

const shapedTexts = new LRUCache<string, ShapedText>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: ({ glyphs }) => glyphs.length + 1,
});

const buffer = new Buffer();

/**
 * A font that HarfBuzz shapes and PDFKit draws. HarfBuzz joins, stacks and reorders characters as
 * their script requires. PDFKit's own shaper, fontkit, lacks Burmese and parts of Khmer.
 */
export class ShapedFont {
  readonly font: Font;
  private readonly shapingFont: ShapingFont;

  /** @param name must be unique, because it identifies the font in a PDF */
  constructor(
    readonly name: string,
    path: string,
  ) {
    const bytes = readFileSync(path);
    this.font = create(bytes) as Font;
    this.shapingFont = new ShapingFont(new Face(new Blob(new Uint8Array(bytes).buffer)));
    // Return copies of the positions, because PDFKit changes them.
    const layout = (text: string, features: string[] = []) => {
      const shaped = this.shape(text, features.includes(RIGHT_TO_LEFT_FEATURE));
      return { ...shaped, positions: shaped.positions.map((position) => ({ ...position })) };
    };
    Object.assign(this.font, { layout });
  }

  has(codePoint: number): boolean {
    return this.font.hasGlyphForCodePoint(codePoint);
  }

  /** Returns the width in thousandths of the font size. */
  measureText(text: string, isRightToLeft: boolean): number {
    return (this.shape(text, isRightToLeft).advanceWidth * 1000) / this.font.unitsPerEm;
  }

  shape(text: string, isRightToLeft: boolean): ShapedText {
    const key = `${this.name}${isRightToLeft ? '<' : '>'}${text}`;
    let shaped = shapedTexts.get(key);
    if (!shaped) {
      shaped = this.shapeWithHarfBuzz(text, isRightToLeft);
      shapedTexts.set(key, shaped);
    }
    return shaped;
  }

  private shapeWithHarfBuzz(text: string, isRightToLeft: boolean): ShapedText {
    buffer.reset();
    buffer.setFlags(BufferFlag.REMOVE_DEFAULT_IGNORABLES);
    buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
    buffer.addText(text);
    buffer.guessSegmentProperties();
    shape(this.shapingFont, buffer);
    const infos = buffer.getGlyphInfos();
    const positions = buffer.getGlyphPositions();
    const clusters = new Map<number, ShapedGlyph[]>();
    const glyphs = infos.map(({ codepoint: id, cluster }) => {
      const glyph: ShapedGlyph = { id, advanceWidth: this.shapingFont.glyphHAdvance(id), codePoints: [] };
      const members = clusters.get(cluster);
      if (members) members.push(glyph);
      else clusters.set(cluster, [glyph]);
      return glyph;
    });
    this.assignCodePoints(clusters, isRightToLeft ? mirrorCharacters(text) : text);
    return {
      glyphs,
      positions,
      advanceWidth: positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0),
    };
  }

  /**
   * Sets the `codePoints` of all glyphs.
   * @param clusters glyphs by the index in `text` where their characters start
   */
  private assignCodePoints(clusters: Map<number, ShapedGlyph[]>, text: string): void {
    const starts = [...clusters.keys()].sort((a, b) => a - b);
    for (const [nth, start] of starts.entries()) {
      const glyphs = clusters.get(start) as ShapedGlyph[];
      const cluster = text.slice(start, starts[nth + 1]);
      const composed = this.assignOwnGlyphs(glyphs, codePointsOf(cluster));
      // A vowel that stands on both sides of its consonant has no glyph of its own. Split it into
      // two parts, each of which has a glyph.
      const parts = this.assignOwnGlyphs(
        glyphs,
        codePointsOf(String.fromCodePoint(...composed).normalize('NFD')),
      );
      const ligature = glyphs.find(({ codePoints }) => codePoints.length === 0);
      if (ligature) ligature.codePoints = parts;
    }
  }

  /**
   * Assigns each character to the glyph that the font has for this character alone. Returns the
   * characters without such a glyph.
   */
  private assignOwnGlyphs(glyphs: ShapedGlyph[], letters: number[]): number[] {
    const left = [...letters];
    for (const glyph of glyphs) {
      if (glyph.codePoints.length > 0) continue;
      const own = left.findIndex((letter) => this.font.glyphForCodePoint(letter).id === glyph.id);
      if (own >= 0) glyph.codePoints = left.splice(own, 1);
    }
    return left;
  }
}

/** Replaces characters such as brackets by their mirror images, for right-to-left text. */
function mirrorCharacters(text: string): string {
  return [...text].map((letter) => bidi.getMirroredCharacter(letter) ?? letter).join('');
}

function codePointsOf(text: string): number[] {
  return [...text].map((letter) => letter.codePointAt(0) as number);
}
