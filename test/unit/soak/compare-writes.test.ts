import { expect } from 'chai';
import { compareWrites, type StoredInvoice } from '../../support/load/load-invariants.js';

const TENANTS = [
  { id: 'tenant-a', key: '' },
  { id: 'tenant-b', key: '' },
];
const CALLS = [1, 2, 3, 4].map((nth) => ({
  tenant: TENANTS[nth % 2] as (typeof TENANTS)[number],
  id: `id-${nth}`,
  body: { invoice_number: `L-${nth}`, line_items: [] },
  totalCents: 1000 + nth,
}));
const buildStored = (): StoredInvoice[] =>
  CALLS.map(({ tenant, id, body, totalCents }) => ({
    tenant_id: tenant.id,
    id,
    invoice_number: body.invoice_number,
    total_cents: totalCents,
  }));
const NONE = { lost: [], doubled: [] };

describe('the comparison of stored invoices with acknowledged ones', () => {
  it('finds no difference if each acknowledged invoice is stored once, in any order', () => {
    expect(compareWrites(CALLS, buildStored().reverse())).to.deep.equal(NONE);
  });

  it('reports an acknowledged invoice that is not stored as lost', () => {
    const [deleted, ...stored] = buildStored();
    expect(compareWrites(CALLS, stored)).to.deep.equal({ lost: [deleted], doubled: [] });
  });

  it('reports a second invoice of one call as doubled', () => {
    const stored = buildStored();
    const second = { ...(stored[1] as StoredInvoice), id: 'another' };
    expect(compareWrites(CALLS, [...stored, second])).to.deep.equal({ lost: [], doubled: [second] });
  });

  it('reports a row that is read twice as doubled', () => {
    const [first, ...others] = buildStored();
    const stored = [first as StoredInvoice, ...others, first as StoredInvoice];
    expect(compareWrites(CALLS, stored)).to.deep.equal({ lost: [], doubled: [first] });
  });

  for (const [member, value] of Object.entries({
    total_cents: 1,
    invoice_number: 'L-9',
    tenant_id: 'tenant-c',
  })) {
    it(`reports an invoice whose ${member} changed as lost, and its row as one that no call explains`, () => {
      const stored = buildStored();
      const [original] = stored;
      const changed = { ...(original as StoredInvoice), [member]: value };
      stored[0] = changed;
      expect(compareWrites(CALLS, stored)).to.deep.equal({ lost: [original], doubled: [changed] });
    });
  }
});
