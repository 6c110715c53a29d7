import { FONT_FAMILIES, type FontFamily, type FontWeight } from './font-families.js';
import { ShapedFont } from './shaped-font.js';

/** Drawn in place of a character that no font has. */
const REPLACEMENT = '?';
const USES_PREVIOUS_FONT = /[\p{M}\p{Zs}]/u;

export interface FontCharacter {
  text: string;
  font: ShapedFont;
}

/** The fonts of one weight. A font file is opened on first use and stays open. */
export class FontStack {
  private readonly fonts = new Map<string, ShapedFont>();
  private readonly letters = new Map<number, FontCharacter>();

  constructor(private readonly style: FontWeight) {}

  /**
   * Chooses the font of a character. A combining mark or a space uses the font of the character
   * `before`, if that font has the mark or space. Any other character uses the first font that has
   * the character.
   */
  letterFor(codePoint: number, before?: FontCharacter): FontCharacter {
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

  private findLetter(text: string): FontCharacter {
    const codePoint = text.codePointAt(0) as number;
    for (const family of FONT_FAMILIES) {
      if (family.letters && !family.letters.test(text)) continue;
      const font = this.openFont(family);
      if (font.has(codePoint)) return { text, font };
    }
    return this.letterFor(REPLACEMENT.codePointAt(0) as number);
  }

  private openFont(family: FontFamily): ShapedFont {
    let font = this.fonts.get(family.name);
    if (!font) {
      font = new ShapedFont(`${family.name}-${this.style}`, family.file(this.style));
      this.fonts.set(family.name, font);
    }
    return font;
  }
}
