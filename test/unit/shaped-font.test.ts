import { expect } from 'chai';
import { FontStack } from '../../shared/resources/invoices/pdf/fonts.js';

describe('letters that are shaped by HarfBuzz', () => {
  const fonts = new FontStack('regular');
  const fontOf = (text: string) => fonts.letterFor(text.codePointAt(0) as number).font;
  const shape = (text: string, isRightToLeft = false) => fontOf(text).shape(text, isRightToLeft);
  const idsOf = (text: string, isRightToLeft = false) =>
    shape(text, isRightToLeft).glyphs.map(({ id }) => id);
  const lettersOf = (text: string, isRightToLeft = false) =>
    shape(text, isRightToLeft).glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints));

  it('draw a vowel of Burmese, Khmer, Bengali, Tamil, Malayalam and Sinhala before the letter it is written after', () => {
    for (const [letter, vowel] of ['ကေ', 'កេ', 'কে', 'கெ', 'കെ', 'කෙ'])
      expect(lettersOf(`${letter}${vowel}`), letter).to.deep.equal([vowel, letter]);
  });

  it('become one glyph as a conjunct of Devanagari, and a smaller one as a Khmer or Burmese subscript', () => {
    expect(idsOf('क्ष')).to.have.length(1);
    for (const [stacked, single] of [
      ['ក្ក', 'ក'],
      ['က္က', 'က'],
    ] as const)
      expect(shape(stacked).advanceWidth, stacked).to.be.below(2 * shape(single).advanceWidth);
  });

  it('join in Arabic, and a zero-width non-joiner keeps them apart as Persian wants', () => {
    const joined = new Set(idsOf('ححح', true));
    expect(joined.size, 'first, middle and last form').to.equal(3);
    expect(joined).to.not.include(fontOf('ح').font.glyphForCodePoint(0x62d).id);
    expect(idsOf('میخ', true)).to.not.deep.equal(idsOf('می\u200cخ', true));
  });

  it('of Sinhala form a conjunct at a zero-width joiner', () => {
    expect(idsOf('ශ්\u200dරී')).to.not.include.members(idsOf('ශ්'));
  });

  it('run from right to left with their brackets turned round', () => {
    expect(lettersOf('אב', true)).to.deep.equal(['ב', 'א']);
    expect(idsOf('(', true)).to.deep.equal(idsOf(')'));
  });

  it('take a mark from the font of their letter', () => {
    const georgian = fonts.letterFor(0x10d0);
    expect(fonts.letterFor(0x0304, georgian).font).to.equal(
      georgian.font.has(0x0304) ? georgian.font : fontOf('a'),
    );
    const letter = fonts.letterFor('e'.codePointAt(0) as number);
    expect(fonts.letterFor(0x0323, letter).font).to.equal(letter.font);
  });
});
