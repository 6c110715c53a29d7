import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Font, type Glyph, openSync } from 'fontkit';

const require = createRequire(import.meta.url);

/** A font file, opened when a letter first needs it. */
export interface Face {
  /** Names it within a PDF. */
  name: string;
  font: Font;
}

type Style = 'regular' | 'bold';

interface Family {
  name: string;
  /** Paths of its two files. */
  file: (style: Style) => string;
}

function embedpdf(name: string, file: (style: string) => string): Family {
  const weights = { regular: 'Regular', bold: 'Bold' };
  return {
    name,
    // The package exports its list of fonts, dist/index.cjs, but not the files beside it.
    file: (style) =>
      join(dirname(require.resolve(`@embedpdf/fonts-${name}`)), '..', 'fonts', file(weights[style])),
  };
}

function thaiFile(style: Style): string {
  const weight = style === 'bold' ? '700Bold' : '400Regular';
  return require.resolve(`@expo-google-fonts/noto-sans-thai/${weight}/NotoSansThai_${weight}.ttf`);
}

/**
 * Noto (SIL Open Font License), in the order in which a letter looks for its font. The Chinese one also has kana and the traditional characters that
 * Japan and Taiwan use.
 */
const FAMILIES: readonly Family[] = [
  embedpdf('latin', (weight) => `NotoSans-${weight}.ttf`),
  embedpdf('sc', (weight) => `NotoSansHans-${weight}.otf`),
  embedpdf('kr', (weight) => `NotoSansKR-${weight}.otf`),
  embedpdf('arabic', (weight) => `NotoNaskhArabic-${weight}.ttf`),
  embedpdf('hebrew', (weight) => `NotoSansHebrew-${weight}.ttf`),
  { name: 'thai', file: thaiFile },
];

/** Stands for a letter that no font has. */
const REPLACEMENT = '?';

/** A letter with the font that shows it, and its width in thousandths of the font's size. */
export interface Letter {
  text: string;
  face: Face;
  width: number;
}

interface KnownLetter extends Letter {
  glyph: Glyph;
  codePoint: number;
}

/** The fonts of one weight. Files are opened on first use and stay open. */
export class FontStack {
  private readonly faces = new Map<string, Face>();
  private readonly letters = new Map<number, KnownLetter>();

  constructor(private readonly style: Style) {}

  /** The letter of a code point in the first font that has it. */
  letterFor(codePoint: number): KnownLetter {
    let letter = this.letters.get(codePoint);
    if (!letter) {
      letter = this.findLetter(codePoint);
      this.letters.set(codePoint, letter);
    }
    // fontkit keeps a glyph with the code points it first met it with: none when it was a part of another letter. A PDF's text is made of them.
    letter.glyph.codePoints = [letter.codePoint];
    return letter;
  }

  private findLetter(codePoint: number): KnownLetter {
    for (const family of FAMILIES) {
      const face = this.faceOf(family);
      if (!face.font.hasGlyphForCodePoint(codePoint)) continue;
      const glyph = face.font.glyphForCodePoint(codePoint);
      const width = (glyph.advanceWidth * 1000) / face.font.unitsPerEm;
      return { text: String.fromCodePoint(codePoint), face, width, glyph, codePoint };
    }
    return this.letterFor(REPLACEMENT.codePointAt(0) as number);
  }

  private faceOf(family: Family): Face {
    let face = this.faces.get(family.name);
    if (!face) {
      const font = openSync(family.file(this.style)) as Font;
      face = { name: `${family.name}-${this.style}`, font };
      this.faces.set(family.name, face);
    }
    return face;
  }
}
