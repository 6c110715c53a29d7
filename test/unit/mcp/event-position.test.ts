import { expect } from 'chai';
import {
  comparePositions,
  formatPosition,
  parsePosition,
  positionBeforeTransaction,
} from '../../../shared/events/event-position.js';
import { matchesType, TYPE_FILTER } from '../../../shared/events/event-types.js';
import { newId } from '../../../shared/platform/ids.js';

describe('event stream positions', () => {
  const low = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';
  const high = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8f';

  it('a position survives formatting and parsing, in upper case too', () => {
    for (const position of [
      { xid: 0n, id: low },
      { xid: 2n ** 64n - 1n, id: newId() },
      positionBeforeTransaction(7n),
    ]) {
      expect(parsePosition(formatPosition(position))).to.deep.equal(position);
      expect(parsePosition(formatPosition(position).toUpperCase())).to.deep.equal(position);
    }
  });

  it('positions sort by transaction number, as a number, then by id', () => {
    const ordered = [
      positionBeforeTransaction(9n),
      { xid: 9n, id: low },
      { xid: 9n, id: high },
      positionBeforeTransaction(10n),
    ];
    for (const [index, one] of ordered.entries()) {
      for (const [other, position] of ordered.entries())
        expect(Math.sign(comparePositions(one, position))).to.equal(Math.sign(index - other));
    }
  });
});

describe('event type filters', () => {
  const TYPES = ['invoice.created', 'invoice.paid', 'invoices.x', 'ai.suggestion.created'];
  const cases: Record<string, string[]> = {
    '*': TYPES,
    'invoice.*': ['invoice.created', 'invoice.paid'],
    'invoice.paid': ['invoice.paid'],
    'ai.*': ['ai.suggestion.created'],
    'ai.suggestion.*': ['ai.suggestion.created'],
    'ai.suggestion': [],
  };
  for (const [filter, expected] of Object.entries(cases)) {
    it(`the filter ${filter} matches ${expected.join(', ') || 'nothing'}`, () => {
      expect(filter).to.match(TYPE_FILTER);
      expect(TYPES.filter((type) => matchesType(filter, type))).to.deep.equal(expected);
    });
  }
});
