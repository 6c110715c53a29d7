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

  const widthOf = (word: string) => fonts.letterFor(word.codePointAt(0) as number).font.widthOf(word, false);

  it('break between words of Thai, Lao, Khmer and Burmese, which have no blanks', () => {
    for (const [first, second] of [
      ['บริษัท', 'สินค้า'],
      ['ພາສາ', 'ລາວ'],
      ['ខ្ញុំ', 'ស្រឡាញ់'],
      ['မြန်မာ', 'စာ'],
    ] as const) {
      const width = widthOf(first) + widthOf(second) * 0.9;
      expect(linesOf(first + second, width), first).to.deep.equal([first, second]);
    }
  });

  it('never begin with a consonant that ends a syllable of Burmese', () => {
    const lines = linesOf('မြန်မာစာ'.repeat(20), widthOf('မြန်မာစာ') * 1.5);
    expect(lines.length).to.be.above(5);
    for (const line of lines) expect(line).to.not.match(/^[\u1000-\u1021]\u103a/);
  });

  it('break at a zero-width space, and not within a letter and its marks', () => {
    expect(linesOf('abc\u200bdefg', widthOf('abcdef'))).to.deep.equal(['abc', 'defg']);
    for (const line of linesOf('ẹ̀'.repeat(20), 1500)) expect(line).to.match(/^(ẹ\u0300)+$/u);
  });

  it('keep joiners, which letters need, and drop other marks that show nothing', () => {
    expect(linesOf('می\u200cخواهم', 100_000)).to.deep.equal(['می\u200cخواهم']);
    expect(linesOf('ශ්\u200dරී', 100_000)).to.deep.equal(['ශ්\u200dරී']);
    expect(linesOf('a\u202e\ufeff\u00adb\ufe0f', 100_000)).to.deep.equal(['ab']);
  });

  it('end in … where they are cut', () => {
    expect(linesOf('one two three four five', 4000, 1)).to.deep.equal(['one…']);
  });

  it('read from right to left word by word, numbers and Latin names from left to right', () => {
    expect(linesOf('שלום 12 AB עולם', 100_000)).to.deep.equal(['עולם AB 12 שלום']);
  });
});
