import { expect } from 'chai';
import { FontStack } from '../../../shared/documents/pdf/fonts.js';
import { breakLines, sortVisually } from '../../../shared/documents/pdf/line-breaks.js';

describe('line breaks in PDF text', () => {
  const fonts = new FontStack('regular');
  const breakText = (text: string, width: number, maxLines?: number) =>
    breakLines(text, { fonts, width, ...(maxLines === undefined ? {} : { maxLines }) }).map((line) =>
      sortVisually(line)
        .flatMap(({ runs }) => runs.map((run) => run.text))
        .join(''),
    );

  const measureWord = (word: string) =>
    fonts.letterFor(word.codePointAt(0) as number).font.measureText(word, false);

  it('Thai, Lao, Khmer and Burmese text breaks between words, although it has no spaces', () => {
    for (const [first, second] of [
      ['บริษัท', 'สินค้า'],
      ['ພາສາ', 'ລາວ'],
      ['ខ្ញុំ', 'ស្រឡាញ់'],
      ['မြန်မာ', 'စာ'],
    ] as const) {
      const width = measureWord(first) + measureWord(second) * 0.9;
      expect(breakText(first + second, width), first).to.deep.equal([first, second]);
    }
  });

  it('no line of Burmese starts with a consonant that ends a syllable', () => {
    const lines = breakText('မြန်မာစာ'.repeat(20), measureWord('မြန်မာစာ') * 1.5);
    expect(lines.length).to.be.above(5);
    for (const line of lines) expect(line).to.not.match(/^[\u1000-\u1021]\u103a/);
  });

  it('text breaks at a zero-width space and never between a letter and its marks', () => {
    expect(breakText('abc\u200bdefg', measureWord('abcdef'))).to.deep.equal(['abc', 'defg']);
    for (const line of breakText('ẹ̀'.repeat(20), 1500)) expect(line).to.match(/^(ẹ\u0300)+$/u);
  });

  it('joiners are kept, because letters need them, and other invisible characters are removed', () => {
    expect(breakText('می\u200cخواهم', 100_000)).to.deep.equal(['می\u200cخواهم']);
    expect(breakText('ශ්\u200dරී', 100_000)).to.deep.equal(['ශ්\u200dරී']);
    expect(breakText('a\u202e\ufeff\u00adb\ufe0f', 100_000)).to.deep.equal(['ab']);
  });

  it('truncated text ends in …', () => {
    expect(breakText('one two three four five', 4000, 1)).to.deep.equal(['one…']);
  });

  it('right-to-left text runs word by word, with numbers and Latin names left to right', () => {
    expect(breakText('שלום 12 AB עולם', 100_000)).to.deep.equal(['עולם AB 12 שלום']);
  });
});
