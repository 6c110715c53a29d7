/**
 * Compares months with the books of both vendors. The report has the sums of both sides, and names
 * every invoice that is not the same on both.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import type { BookingAccount } from '../../../support/vendors/booking.js';
import { useBookingStack } from '../../../support/vendors/booking.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { useXeroStack, type XeroAccount } from '../../../support/vendors/xero-booking.js';

const THIS_MONTH = new Date().toISOString().slice(0, 7);

/** What the bookkeeper does to invoices in the books. */
interface Edits<Account> {
  raise(account: Account, number: string): void;
  annul(account: Account, number: string): void;
  /** Creates a copy with another number, as if the bookkeeper had made it. */
  copy(account: Account, number: string, other: string): void;
}

const QUICKBOOKS: Edits<BookingAccount> = {
  raise({ double, company }, number) {
    const { Id, Line } = findByNumber(company.list('Invoice'), 'DocNumber', number);
    const [line = {}] = Line as Json[];
    const { Qty: _qty, UnitPrice: _price, ...detail } = line.SalesItemLineDetail;
    double.edit(company, 'Invoice', Id, { Line: [{ ...line, Amount: 130, SalesItemLineDetail: detail }] });
  },
  annul({ double, company }, number) {
    double.void(company, 'Invoice', findByNumber(company.list('Invoice'), 'DocNumber', number).Id);
  },
  copy({ company }, number, other) {
    const found = findByNumber(company.list('Invoice'), 'DocNumber', number);
    company.put('Invoice', { ...found, PrivateNote: '', DocNumber: other }, '9001');
  },
};

const XERO: Edits<XeroAccount> = {
  raise({ double, organisation }, number) {
    const invoice = findByNumber(organisation.list('Invoices'), 'InvoiceNumber', number);
    const LineItems = (invoice.LineItems as Json[]).map((one) => ({
      ...one,
      UnitAmount: 130,
      LineAmount: 130,
    }));
    double.editInvoice(organisation, String(invoice.InvoiceID), { ...invoice, LineItems });
  },
  annul({ double, organisation }, number) {
    const { InvoiceID } = findByNumber(organisation.list('Invoices'), 'InvoiceNumber', number);
    double.voidInvoice(organisation, String(InvoiceID));
  },
  copy({ organisation }, number, other) {
    const { Url: _url, ...found } = findByNumber(organisation.list('Invoices'), 'InvoiceNumber', number);
    organisation.put('Invoices', { ...found, InvoiceID: randomUUID(), InvoiceNumber: other });
  },
};

function findByNumber<R extends Record<string, unknown>>(all: R[], member: string, number: string): R {
  return all.find((one) => one[member] === number) as R;
}

function describeVendor<Account extends BookingAccount | XeroAccount>(
  label: string,
  use: () => { createAccount(): Promise<Account>; double: { webhooks: { habits: { isLost: boolean } } } },
  edits: Edits<Account>,
): void {
  describe(`${label}: months are compared with the books`, () => {
    requireContracts();
    const booking = use();
    let account: Account;
    const path = () => `/connections/${account.connectionId}/reconciliation`;

    before(async () => {
      account = await booking.createAccount();
      booking.double.webhooks.habits.isLost = true;
    });
    beforeEach(() => {
      booking.double.webhooks.habits.isLost = true;
    });

    const compare = async (months: object = { from: THIS_MONTH, to: THIS_MONTH }): Promise<Json> => {
      const started = await account.client.post(path(), months);
      expect(started.status, JSON.stringify(started.body)).to.equal(200);
      await account.wake();
      return eventually('the comparison is complete', async () => {
        const { body } = await account.client.get(path());
        return body.status === 'complete' && body;
      });
    };
    const listDifferences = async (): Promise<Json[]> =>
      (await account.client.get(`${path()}/differences`)).body.data.items;

    it('it is not found before the first comparison, and refuses months that make no sense', async () => {
      expect((await account.client.get(path())).status).to.equal(404);
      expect(await listDifferences()).to.deep.equal([]);
      for (const months of [
        { from: '2026-03', to: '2026-01' },
        { from: '2024-01', to: '2026-01' },
        { from: '2026-13', to: '2026-13' },
      ])
        expect((await account.client.post(path(), months)).status, JSON.stringify(months)).to.equal(400);
    });

    it('both sides of an account whose books are right have the same sums, and no difference', async () => {
      await account.releaseBooked();
      const [paid] = await account.releaseBooked();
      await account.pay(paid.id, 5000);
      await account.settle();
      const report = await compare({ from: '2025-12', to: THIS_MONTH });
      const { months, differences } = report;
      expect(differences, JSON.stringify(await listDifferences())).to.equal(0);
      expect(months[0]).to.deep.include({ month: '2025-12', differences: 0 });
      const last = months.at(-1);
      expect(last.ours).to.deep.equal({
        invoices: 2,
        invoiced_cents: 25_000,
        paid_cents: 5000,
        credited_cents: 0,
      });
      expect({ ...last.theirs, credited_cents: 0 }).to.deep.equal(last.ours);
    });

    it('it names every invoice that is not the same on both sides', async () => {
      const before = (await account.client.get(path())).body.months.at(-1).ours;
      const [raised] = await account.releaseBooked();
      const [voided] = await account.releaseBooked();
      const [paidThere] = await account.releaseBooked();
      await account.settle();
      const seen = account.bookkeeper.listInvoices();
      const idOf = (number: string) => String(seen.find((one) => one.number === number)?.id);
      account.bookkeeper.pay(idOf(paidThere.invoice_number), 4000);
      edits.raise(account, raised.invoice_number);
      edits.copy(account, voided.invoice_number, 'BY-HAND-1');
      edits.annul(account, voided.invoice_number);
      // A category without an account keeps an invoice out of the books.
      const stuck = await account.release({
        lines: [
          {
            name: 'Winch',
            category: 'winching',
            quantity: 1,
            unit_type: 'each',
            unit_price_cents: 700,
            total_cents: 700,
            taxable: false,
          },
        ],
      });
      await account.settle();
      const report = await compare();
      const found = await listDifferences();
      const codes = Object.fromEntries(found.map(({ code, invoice_number }) => [invoice_number, code]));
      expect(codes, JSON.stringify(found)).to.deep.equal({
        [raised.invoice_number]: 'amount',
        [voided.invoice_number]: 'status',
        [paidThere.invoice_number]: 'paid',
        [stuck.invoice_number]: 'missing_there',
        'BY-HAND-1': 'missing_here',
      });
      const { ours, theirs, differences } = report.months.at(-1);
      expect(differences).to.equal(5);
      expect(ours.invoiced_cents).to.equal(before.invoiced_cents + 3 * 12_500 + 700);
      expect(theirs.invoiced_cents).to.equal(before.invoiced_cents + 13_000 + 2 * 12_500);
      expect(theirs.paid_cents - before.paid_cents).to.equal(4000);
      expect(found.find(({ code }) => code === 'missing_there')?.message).to.match(/account for winching/);
      expect(found.find(({ code }) => code === 'amount')).to.deep.include({ invoice_id: raised.id });
    });

    it('the next comparison replaces the last one, and pages through its differences', async () => {
      await compare({ from: '2025-01', to: '2025-02' });
      expect(await listDifferences()).to.deep.equal([]);
      await compare();
      const first = (await account.client.get(`${path()}/differences?limit=3`)).body.data;
      const second = (await account.client.get(`${path()}/differences?limit=3&cursor=${first.cursor}`)).body
        .data;
      const ids = [...first.items, ...second.items].map(({ id }: Json) => id);
      expect(new Set(ids).size).to.equal(5);
    });
  });
}

describeVendor('QuickBooks', useBookingStack, QUICKBOOKS);
describeVendor('Xero', useXeroStack, XERO);
