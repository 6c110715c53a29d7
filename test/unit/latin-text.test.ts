import { expect } from 'chai';
import fc from 'fast-check';
import { toLatinText } from '../../shared/resources/invoices/latin-text.js';

describe('toLatinText', () => {
  it('keeps what the standard fonts have', () => {
    const kept = 'Café “Straße” €5 – ½ ñ Š ž • … ™';
    expect(toLatinText(kept)).to.equal(kept);
    expect(toLatinText('Cafe\u0301')).to.equal('Café');
  });

  it('takes marks off, knows a few letters that have no plain form, and marks the rest', () => {
    expect(toLatinText('Łódź ąęő ı ﬁ ２')).to.equal('Lódz aeo i fi 2');
    expect(toLatinText('東京 🚗')).to.equal('?? ?');
    expect(toLatinText('a\u0000b\tc')).to.equal('a?b c');
    expect(toLatinText('a\r\nb')).to.equal('a\nb');
  });

  it('never gives a character that the fonts lack, and changes nothing twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const latin = toLatinText(text);
        expect(latin).to.match(/^[\n\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/);
        expect(toLatinText(latin)).to.equal(latin);
      }),
    );
  });
});
