import { expect } from 'chai';
import { storeRefundedAmounts } from '../../../../shared/resources/payments/refund-rows.js';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('QuickBooks: corrections reach the books', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  before(async () => {
    account = await booking.createAccount();
  });

  /** Takes a released invoice back, gives it other lines, and approves it again. */
  async function correct(invoice: Json, lines: object[]): Promise<void> {
    for (const members of [{ status: 'disputed' }, { status: 'needs_review' }, { line_items: lines }]) {
      const { status, body } = await account.client.patch(`/invoices/${invoice.id}`, members);
      expect(status, JSON.stringify(body)).to.equal(200);
    }
    const { status, body } = await account.client.post(`/invoices/${invoice.id}/approve`, {});
    expect(status, JSON.stringify(body)).to.equal(200);
    await account.settle();
  }

  const toCents = (amount: unknown) => Math.round(Number(amount) * 100);

  it('a correction of the tax alone changes the invoice there', async () => {
    const lines = (...taxable: boolean[]) =>
      taxable.map((one) => line({ unit_price_cents: 10_000, taxable: one }));
    await account.client.patch('/settings', { tax_rate_bps: 825 });
    const [invoice, booked] = await account.releaseBooked({ lines: lines(true, true) });
    await account.client.patch('/settings', { tax_rate_bps: 0 });
    await account.settle();
    expect(booked.TotalAmt).to.equal(216.5);
    await correct(invoice, lines(true, false));
    await account.client.post(`/invoices/${invoice.id}/send`, {});
    await account.settle();
    const { TxnTaxDetail, TotalAmt } = account.company.get('Invoice', booked.Id);
    expect([TxnTaxDetail, TotalAmt]).to.deep.equal([{ TotalTax: 8.25 }, 208.25]);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a correction that is paid before it is released again takes its new lines there', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.settle();
    await correct(invoice, [line({ unit_price_cents: 20_000 })]);
    expect(account.company.get('Invoice', booked.Id).TotalAmt).to.equal(125);
    await account.pay(invoice.id, 20_000);
    await account.settle();
    const { TotalAmt, Balance } = account.company.get('Invoice', booked.Id);
    expect([TotalAmt, Balance]).to.deep.equal([200, 0]);
    await account.waitForNotices();
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('retry of a difference writes our side again, and opens it anew if it remains', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.settle();
    booking.double.edit(account.company, 'Invoice', booked.Id, { TxnTaxDetail: { TotalTax: 5 } });
    const issue = await account.waitForIssue('difference');
    expect(issue.theirs.total_cents).to.equal(13_000);
    const path = `/sync-issues/${issue.id}/resolve`;
    expect((await account.client.post(path, { resolution: 'retry' })).status).to.equal(200);
    await account.settle();
    expect(toCents(account.company.get('Invoice', booked.Id).TotalAmt)).to.equal(invoice.total_cents);
    await account.waitForNotices();
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('retry of a difference about a payment made there compares it again', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const there = booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 125 }]);
    await account.waitForInvoice(invoice.id, 'paid');
    await account.settle();
    booking.double.void(account.company, 'Payment', there.Id);
    const issue = await account.waitForIssue('difference');
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
    const again = await account.waitForIssue('difference');
    expect(again.id).to.not.equal(issue.id);
    await account.client.post(`/sync-issues/${again.id}/resolve`, { resolution: 'ignore' });
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a refund that fails after the payment was voided there enters the payment again', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 12_500);
    await account.settle();
    await account.client.post(`/payments/${payment.id}/refund`, { amount_cents: 12_500, reason: 'Refund' });
    await account.settle();
    await account.waitForNotices();
    expect(account.company.get('Invoice', booked.Id).Balance).to.equal(125);
    booking.double.misbehave = failOnce('POST payment');
    // This is what a vendor's report about a failed refund stores.
    const { id: tenant_id } = account.tenant;
    await account.stack.runtime.db.transaction([tenant_id], (tx) =>
      storeRefundedAmounts(tx, [
        {
          tenant_id,
          id: payment.id,
          invoice_id: invoice.id,
          customer_id: invoice.customer_id,
          amount_cents: 12_500,
          applied_cents: 12_500,
          refunded_cents: 0,
        } as never,
      ]),
    );
    await account.hurry([]);
    await account.waitForWrites();
    await account.settle();
    expect(account.company.get('Invoice', booked.Id).Balance).to.equal(0);
    const note = `Tow Dispatch payment ${payment.id}`;
    const notes = account.company.list('Payment').map(({ PrivateNote }) => String(PrivateNote));
    expect(notes.filter((one) => one.endsWith(note)).sort()).to.deep.equal([note, `Voided - ${note}`]);
    await account.waitForNotices();
    await account.pullAll();
    expect(await account.listPayments(invoice.id)).to.have.length(1);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a refund that fails and is then repeated leaves no payment that was entered again without an answer', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 12_500);
    await account.settle();
    await account.client.post(`/payments/${payment.id}/refund`, { amount_cents: 12_500, reason: 'Refund' });
    await account.settle();
    await account.waitForNotices();
    const store = (refunded_cents: number) =>
      account.stack.runtime.db.transaction([account.tenant.id], (tx) =>
        storeRefundedAmounts(tx, [
          {
            tenant_id: account.tenant.id,
            id: payment.id,
            invoice_id: invoice.id,
            customer_id: invoice.customer_id,
            amount_cents: 12_500,
            applied_cents: 12_500 - refunded_cents,
            refunded_cents,
          } as never,
        ]),
      );
    let left = 2;
    // A cut call is repeated at once, so it is cut twice. Then QuickBooks forgets its key.
    booking.double.misbehave = (name) => {
      if (name !== 'POST payment' || left === 0) return undefined;
      if (--left === 0) setImmediate(() => account.company.answers.clear());
      return { kind: 'cut_after' };
    };
    await store(0);
    await account.hurry([]);
    await eventually(
      'the payment was entered again',
      () => left === 0 && account.company.get('Invoice', booked.Id).Balance === 0,
    );
    await store(12_500);
    await account.settle();
    await account.settle();
    expect(account.company.get('Invoice', booked.Id).Balance).to.equal(125);
  });

  /** Cuts the connection after the next call with this name. */
  function failOnce(name: string): typeof booking.double.misbehave {
    let isOver = false;
    return (called) => {
      if (isOver || called !== name) return undefined;
      isOver = true;
      return { kind: 'cut_after' };
    };
  }

  it('a payment whose invoice reaches the books only after a retry is entered too', async () => {
    const invoice = await account.release({ lines: [line({ category: 'winching', unit_price_cents: 100 })] });
    const issue = await account.waitForIssue('refused');
    await account.pay(invoice.id, 100);
    await account.settle();
    const { accounts } = account.settings;
    const settings = { ...account.settings, accounts: { ...accounts, winching: accounts.tow } };
    await account.client.patch(`/connections/${account.connectionId}`, { settings });
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
    await account.settle();
    await account.client.patch(`/connections/${account.connectionId}`, { settings: account.settings });
    expect(account.findBooked(invoice.invoice_number)).to.include({ TotalAmt: 1, Balance: 0 });
  });
});
