import { expect } from 'chai';
import { FontStack } from '../../shared/resources/invoices/pdf/fonts.js';
import { breakLines, visualOrder } from '../../shared/resources/invoices/pdf/line-breaks.js';

describe('lines of a PDF', () => {
  const fonts = new FontStack('regular');
  const linesOf = (text: string, width: number, maxLines?: number) =>
    breakLines(text, { fonts, width, ...(maxLines === undefined ? {} : { maxLines }) }).map((line) =>
      visualOrder(line)
        .flatMap(({ runs }) => runs.map((run) => run.text))
        .join(''),
    );

  it('break between words of Thai, Lao, Khmer and Burmese, which have no blanks', () => {
    for (const words of [
      ['บริษัท', 'ขนส่ง', 'สินค้า'],
      ['ພາສາ', 'ລາວ'],
      ['ភាសា', 'ខ្មែរ'],
    ]) {
      const text = words.join('');
      const widest = Math.max(
        ...words.map((word) => fonts.letterFor(word.codePointAt(0) as number).font.widthOf(word, false)),
      );
      expect(linesOf(text, widest + 1), text).to.deep.equal(words);
    }
  });

  it('break at a zero-width space, and not within a letter and its marks', () => {
    expect(linesOf('abc\u200bdef', 2000)).to.deep.equal(['abc', 'def']);
    for (const line of linesOf('ẹ̀'.repeat(20), 1500)) expect(line).to.match(/^(ẹ\u0300)+$/u);
  });

  it('end in … where they are cut', () => {
    expect(linesOf('one two three four five', 4000, 1)).to.deep.equal(['one…']);
  });

  it('read from right to left word by word, numbers and Latin names from left to right', () => {
    expect(linesOf('שלום 12 AB עולם', 100_000)).to.deep.equal(['עולם AB 12 שלום']);
  });
});
