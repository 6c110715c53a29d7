import { FAMILIES, type Family, type Style } from './font-families.js';
import { ShapedFont } from './shaped-font.js';

/** Replaces a character that no font has. */
const REPLACEMENT = '?';
/** Combining marks and spaces. */
const USES_PREVIOUS_FONT = /[\p{M}\p{Zs}]/u;

/** A character and a font that has it. */
export interface Letter {
  text: string;
  font: ShapedFont;
}

/** The fonts of one weight. A font file opens on first use and stays open. */
export class FontStack {
  private readonly fonts = new Map<string, ShapedFont>();
  private readonly letters = new Map<number, Letter>();

  constructor(private readonly style: Style) {}

  /**
   * Returns the character in the first font that has it.
   * @param before the preceding character: combining marks and spaces use its font if possible
   */
  letterFor(codePoint: number, before?: Letter): Letter {
    const text = String.fromCodePoint(codePoint);
    if (before && USES_PREVIOUS_FONT.test(text) && before.font.has(codePoint))
      return { text, font: before.font };
    let letter = this.letters.get(codePoint);
    if (!letter) {
      letter = this.findLetter(text);
      this.letters.set(codePoint, letter);
    }
    return letter;
  }

  private findLetter(text: string): Letter {
    const codePoint = text.codePointAt(0) as number;
    for (const family of FAMILIES) {
      if (family.letters && !family.letters.test(text)) continue;
      const font = this.fontOf(family);
      if (font.has(codePoint)) return { text, font };
    }
    return this.letterFor(REPLACEMENT.codePointAt(0) as number);
  }

  private fontOf(family: Family): ShapedFont {
    let font = this.fonts.get(family.name);
    if (!font) {
      font = new ShapedFont(`${family.name}-${this.style}`, family.file(this.style));
      this.fonts.set(family.name, font);
    }
    return font;
  }
}
