import { expect } from 'chai';
import { countSegments } from '../../../shared/resources/planned-messages/segments.js';

/** One visible character that takes eleven UCS-2 code units. */
const FAMILY = '👨‍👩‍👧‍👦';

describe('segments of texts', () => {
  it("the examples of Twilio's segment calculator have its counts", () => {
    expect(countSegments(`{${'1'.repeat(158)}`)).to.equal(1);
    expect(countSegments(`{${'1'.repeat(159)}`)).to.equal(2);
    expect(countSegments(`😜${'1'.repeat(68)}`)).to.equal(1);
    expect(countSegments(`😜${'1'.repeat(69)}`)).to.equal(2);
  });

  it('a GSM text has 160 places, and 153 in each of several segments', () => {
    const counts = [0, 1, 160, 161, 306, 307, 459, 460].map((length) => countSegments('a'.repeat(length)));
    expect(counts).to.deep.equal([1, 1, 1, 2, 2, 3, 3, 4]);
  });

  it('a UCS-2 text has 70 places, and 67 in each of several segments', () => {
    const counts = [1, 70, 71, 134, 135].map((length) => countSegments('ж'.repeat(length)));
    expect(counts).to.deep.equal([1, 1, 2, 2, 3]);
  });

  it('an extended GSM character takes two places and is not cut between segments', () => {
    expect(countSegments('€'.repeat(80))).to.equal(1);
    expect(countSegments('€'.repeat(81))).to.equal(2);
    // A segment has 153 places, and 76 characters take 152 of them. The last place stays empty.
    expect(countSegments('€'.repeat(152))).to.equal(2);
    expect(countSegments('€'.repeat(153))).to.equal(3);
    for (const character of '^{}\\[~]|€\f') expect(countSegments(character.repeat(81))).to.equal(2);
  });

  it('letters with accents are GSM only if the alphabet has them, and a typographic quote is not', () => {
    expect(countSegments('é'.repeat(160))).to.equal(1);
    expect(countSegments('ê'.repeat(71))).to.equal(2);
    expect(countSegments(`it’s ${'a'.repeat(66)}`)).to.equal(2);
    expect(countSegments(`it's ${'a'.repeat(66)}`)).to.equal(1);
  });

  it('an emoji of several code points is not cut between segments', () => {
    expect(FAMILY).to.have.length(11);
    expect(countSegments(FAMILY.repeat(6))).to.equal(1);
    // Six of these emoji take 66 of a segment's 67 places, so the seventh begins a new segment.
    expect(countSegments(FAMILY.repeat(12))).to.equal(2);
    expect(countSegments(FAMILY.repeat(13))).to.equal(3);
  });

  it('a line break of two characters may be cut, in both alphabets', () => {
    expect(countSegments(`${'a'.repeat(158)}\r\n`)).to.equal(1);
    expect(countSegments(`${'a'.repeat(152)}\r\n${'a'.repeat(152)}`)).to.equal(2);
    expect(countSegments(`${'ж'.repeat(66)}\r\n${'ж'.repeat(66)}`)).to.equal(2);
  });
});
