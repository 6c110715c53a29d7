import { expect } from 'chai';
import { compactChanges } from '../../../shared/resources/audit-log/compact-changes.js';

const compact = (value: unknown) => compactChanges([{ field: 'x', from: null, to: value }])[0]?.to;

describe('compactChanges', () => {
  it('compactChanges keeps single values, texts and lists of texts unchanged', () => {
    for (const value of [
      null,
      0,
      '',
      'text',
      true,
      [],
      ['invoice.*', 'work_order.*'],
      [1, 2],
      { lat: 1, lng: 2 },
    ])
      expect(compact(value)).to.deep.equal(value);
  });

  it('compactChanges summarizes a list of records at any depth and names at most ten', () => {
    const items = Array.from({ length: 12 }, (_, nth) => ({ name: `n${nth}`, total_cents: nth }));
    const names = items.slice(0, 10).map(({ name }) => name);
    expect(compact(items)).to.deep.equal({ count: 12, names, total_cents: 66 });
    expect(compact({ filters: { items } })).to.deep.equal({
      filters: { items: { count: 12, names, total_cents: 66 } },
    });
  });

  it('compactChanges omits the total unless every item has one, and omits missing names', () => {
    expect(compact([{ total_cents: 1 }, {}])).to.deep.equal({ count: 2 });
    expect(compact([{ component: 'brakes' }])).to.deep.equal({ count: 1 });
  });

  it('compactChanges keeps the field name and summarizes the old value too', () => {
    const changes = compactChanges([{ field: 'line_items', from: [{ name: 'a' }], to: null }]);
    expect(changes).to.deep.equal([{ field: 'line_items', from: { count: 1, names: ['a'] }, to: null }]);
  });
});
