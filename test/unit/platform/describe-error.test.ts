import { expect } from 'chai';
import { describeError } from '../../../shared/platform/describe-error.js';

describe('describeError', () => {
  it('describeError masks secrets, even one that the limit of 500 characters would cut', () => {
    const url = 'postgres://tow:hunter2pass@db.example.com/tow';
    expect(describeError(new Error(`cannot reach ${url}`))).to.equal(
      'cannot reach postgres://tow:[redacted]@db.example.com/tow',
    );
    const cut = describeError(new Error(`${'x'.repeat(480)} ${url}`));
    expect(cut).to.have.length(500);
    expect(cut).to.not.include('hunter');
  });

  it("describeError falls back to the error code, then to 'no reason given'", () => {
    expect(describeError(Object.assign(new Error(), { code: 'ECONNREFUSED' }))).to.equal('ECONNREFUSED');
    expect(describeError('a thrown text')).to.equal('a thrown text');
    expect(describeError(new Error())).to.equal('no reason given');
    expect(describeError('')).to.equal('no reason given');
  });
});
