import { expect } from 'chai';
import type { ListedInvoice } from '../../../shared/integrations/contract/accounting.js';
import type { OpenConnection, VendorRequest } from '../../../shared/integrations/contract/connection.js';
import { toListedInvoice as toQuickBooks } from '../../../shared/integrations/quickbooks/invoice-mapper.js';
import { invoices } from '../../../shared/integrations/quickbooks/invoices.js';
import { toListedInvoice as toXero } from '../../../shared/integrations/xero/invoice-mapper.js';
import type { Reconciliation } from '../../../shared/resources/books/reconciliation/rows.js';
import { addTheirs } from '../../../workers/integrations/books/month-sums.js';

describe('an invoice in the list of the books', () => {
  it('of QuickBooks has no day if the date has another form', () => {
    const dayOf = (TxnDate: string) => toQuickBooks({ Id: '1', SyncToken: '0', TxnDate }).day;
    expect(dayOf('2026-01-31')).to.equal('2026-01-31');
    for (const text of ['1/10/2026', '2026-13-01', '2026-01-32', '2026-01-01T00:00:00', ''])
      expect(dayOf(text), text).to.equal(null);
  });

  it('of Xero has no day if the date has another form, or is in no year of four digits', () => {
    const dayOf = (day: string) => toXero({ InvoiceID: 'x', Date: day }).day;
    expect(dayOf('/Date(1769817600000+0000)/')).to.equal('2026-01-31');
    expect(dayOf('2026-01-31T00:00:00')).to.equal('2026-01-31');
    for (const text of ['/Date(999999999999999+0000)/', '/Date(99999999999999999+0000)/', 'soon'])
      expect(dayOf(text), text).to.equal(null);
  });

  it('counts in no month that is not compared', () => {
    const comparison = { from: '2026-01-01', until: '2026-03-01', months: {} } as Reconciliation;
    const listed = { status: 'open', currency: null, totalCents: 100, paidCents: 0, creditedCents: null };
    for (const day of ['2025-12-31', '2026-01-01', '2026-02-28', '2026-03-01', null])
      addTheirs(comparison, { ...listed, day } as ListedInvoice);
    expect(Object.keys(comparison.months)).to.deep.equal(['2026-01', '2026-02']);
  });

  it('is read by its id after the others of the step, so that one failure ends the calls', async () => {
    const paths: string[] = [];
    const call = async ({ path }: VendorRequest) => {
      const { pathname } = new URL(path, 'http://books.test');
      paths.push(pathname);
      const isQuery = pathname.endsWith('/query');
      const body = isQuery ? { QueryResponse: {} } : { Fault: { type: 'SystemFault' } };
      return { status: isQuery ? 200 : 500, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    };
    const connection = {
      signInParams: { realmId: '1' },
      accessToken: 'x',
      settings: {},
      learned: new Map(),
      call,
    };
    let isRefused = false;
    await invoices
      .readListed(connection as unknown as OpenConnection, ['11', '12', '13'])
      .catch(() => (isRefused = true));
    expect(isRefused).to.equal(true);
    expect(paths.map((path) => path.split('/').slice(-2).join('/'))).to.deep.equal(['1/query', 'invoice/11']);
  });
});
