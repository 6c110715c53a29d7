import { expect } from 'chai';
import { describeError } from '../../shared/platform/describe-error.js';

describe('describeError', () => {
  it('masks secrets, also one that lies across its 500 characters', () => {
    const url = 'postgres://tow:hunter2pass@db.example.com/tow';
    expect(describeError(new Error(`cannot reach ${url}`))).to.equal(
      'cannot reach postgres://tow:[redacted]@db.example.com/tow',
    );
    const cut = describeError(new Error(`${'x'.repeat(480)} ${url}`));
    expect(cut).to.have.length(500);
    expect(cut).to.not.include('hunter');
  });

  it('shows the code of an error without a message, and says when there is nothing to show', () => {
    expect(describeError(Object.assign(new Error(), { code: 'ECONNREFUSED' }))).to.equal('ECONNREFUSED');
    expect(describeError('a thrown text')).to.equal('a thrown text');
    expect(describeError(new Error())).to.equal('no reason given');
    expect(describeError('')).to.equal('no reason given');
  });
});
