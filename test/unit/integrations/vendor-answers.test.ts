import { expect } from 'chai';
import type { VendorResponse } from '../../../shared/integrations/contract/connection.js';
import { parseAnswer } from '../../../shared/integrations/contract/values/parse-answer.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';

const respond = (text: string): VendorResponse => ({ status: 200, headers: {}, body: Buffer.from(text) });

function findError(text: string, isRead: boolean): unknown {
  try {
    return parseAnswer(respond(text), { vendor: 'Parrot', isRead });
  } catch (error) {
    return error;
  }
}

describe('answers of vendors', () => {
  it('an answer is a JSON object or list', () => {
    expect(findError('{"id":1}', true)).to.deep.equal({ id: 1 });
    expect(findError('[]', true)).to.deep.equal([]);
  });

  for (const text of ['', '<html>', 'null', '"text"', '7', '{"id":'])
    it(`${text === '' ? 'no answer' : text} is read again, and leaves open whether a write arrived`, () => {
      const read = findError(text, true);
      expect(read).to.be.instanceOf(VendorError);
      expect(read).to.include({
        kind: 'again',
        code: 'not_json',
        message: 'Parrot answered 200 without JSON.',
      });
      expect(findError(text, false)).to.include({ kind: 'unknown_outcome', code: 'not_json' });
    });
});
