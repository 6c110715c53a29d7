import { expect } from 'chai';
import { FontStack } from '../../../shared/documents/pdf/fonts.js';

describe('text shaping with HarfBuzz', () => {
  const fonts = new FontStack('regular');
  const findFont = (text: string) => fonts.letterFor(text.codePointAt(0) as number).font;
  const shape = (text: string, isRightToLeft = false) => findFont(text).shape(text, isRightToLeft);
  const listGlyphIds = (text: string, isRightToLeft = false) =>
    shape(text, isRightToLeft).glyphs.map(({ id }) => id);
  const listLetters = (text: string, isRightToLeft = false) =>
    shape(text, isRightToLeft).glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints));

  it('Burmese, Khmer, Bengali, Tamil, Malayalam and Sinhala vowels are drawn before their letter', () => {
    for (const [letter, vowel] of ['ကေ', 'កេ', 'কে', 'கெ', 'കെ', 'කෙ'])
      expect(listLetters(`${letter}${vowel}`), letter).to.deep.equal([vowel, letter]);
  });

  it('a Devanagari conjunct is one glyph, and Khmer and Burmese subscripts are narrower', () => {
    expect(listGlyphIds('क्ष')).to.have.length(1);
    for (const [stacked, single] of [
      ['ក្ក', 'ក'],
      ['က္က', 'က'],
    ] as const)
      expect(shape(stacked).advanceWidth, stacked).to.be.below(2 * shape(single).advanceWidth);
  });

  it('Arabic letters join, and a zero-width non-joiner separates them as Persian requires', () => {
    const joined = new Set(listGlyphIds('ححح', true));
    expect(joined.size, 'first, middle and last form').to.equal(3);
    expect(joined).to.not.include(findFont('ح').font.glyphForCodePoint(0x62d).id);
    expect(listGlyphIds('میخ', true)).to.not.deep.equal(listGlyphIds('می\u200cخ', true));
  });

  it('a zero-width joiner forms a Sinhala conjunct', () => {
    expect(listGlyphIds('ශ්\u200dරී')).to.not.include.members(listGlyphIds('ශ්'));
  });

  it('right-to-left text is reversed and its brackets are mirrored', () => {
    expect(listLetters('אב', true)).to.deep.equal(['ב', 'א']);
    expect(listGlyphIds('(', true)).to.deep.equal(listGlyphIds(')'));
  });

  it('a mark uses the font of its letter', () => {
    const georgian = fonts.letterFor(0x10d0);
    expect(fonts.letterFor(0x0304, georgian).font).to.equal(
      georgian.font.has(0x0304) ? georgian.font : findFont('a'),
    );
    const letter = fonts.letterFor('e'.codePointAt(0) as number);
    expect(fonts.letterFor(0x0323, letter).font).to.equal(letter.font);
  });
});
