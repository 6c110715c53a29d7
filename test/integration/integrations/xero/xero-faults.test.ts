import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { line } from '../../../support/vendors/books/books-account.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { useXeroStack, type XeroAccount } from '../../../support/vendors/xero-booking.js';

describe('Xero: nothing is lost and nothing is entered twice', () => {
  requireContracts();
  const booking = useXeroStack();
  let account: XeroAccount;
  beforeEach(async () => {
    account = await booking.createAccount();
  });

  /**
   * Lets the next call with this name meet a fault. A cut one is repeated at once, so it is cut
   * twice. Xero then forgets its keys, so only a look can tell the next attempt what has happened.
   */
  function fail(name: string, fault: Fault): void {
    let left = fault.kind.startsWith('cut') ? 2 : 1;
    booking.double.misbehave = (called) => {
      if (called !== name || left === 0) return undefined;
      if (--left === 0) setImmediate(() => account.organisation.answers.clear());
      return fault;
    };
  }

  async function settle(): Promise<void> {
    await eventually('the writes have ended', async () => {
      await account.hurry([]);
      const text = 'select from outbound_operations where next_at is not null and tenant_id = $1';
      return (await account.stack.rows(account.tenant.id, text, [account.tenant.id])).length === 0;
    });
  }

  for (const list of ['Contacts', 'Invoices', 'Payments'] as const)
    it(`a lost answer to a write of ${list} leaves one record in the books`, async () => {
      fail(`PUT ${list}`, { kind: 'cut_after' });
      const invoice = await account.release();
      await account.pay(invoice.id, 12_500);
      await settle();
      expect(account.organisation.list(list)).to.have.length(1);
      expect(account.findBooked(invoice.invoice_number)?.Status).to.equal('PAID');
      await account.pullAll();
      expect(await account.listPayments(invoice.id)).to.have.length(1);
      expect(await account.listIssues()).to.deep.equal([]);
    });

  for (const [label, fault] of [
    ['429', { kind: 'limit', seconds: 1 }],
    ['503', { kind: 'status', status: 503 }],
    ['a cut connection', { kind: 'cut_before' }],
  ] as const)
    it(`${label} delays a write and loses nothing`, async () => {
      fail('PUT Invoices', fault);
      const invoice = await account.release();
      await settle();
      expect(account.organisation.list('Invoices')).to.have.length(1);
      expect(account.findBooked(invoice.invoice_number)?.Total).to.equal(125);
    });

  for (const [label, name, kind] of [
    ['lost after it was deleted', 'POST Payments', 'cut_after'],
    ['lost after it was entered again', 'PUT Payments', 'cut_after'],
    ['refused for a while after it was deleted', 'PUT Payments', 'cut_before'],
    ['limited after it was deleted', 'PUT Payments', 'limit'],
  ] as const)
    it(`a payment that gets smaller is in the books once if its answer is ${label}`, async () => {
      const [invoice, booked] = await account.releaseBooked();
      const payment = await account.pay(invoice.id, 12_500);
      await settle();
      await account.waitForNotices();
      fail(name, kind === 'limit' ? { kind, seconds: 1 } : { kind });
      await account.client.post(`/payments/${payment.id}/refund`, { amount_cents: 2500, reason: 'Part' });
      await settle();
      expect(account.listOpen(booked).map(({ Amount }) => Amount)).to.deep.equal([100]);
      await account.waitForNotices();
      await account.pullAll();
      expect(await account.listPayments(invoice.id)).to.have.length(1);
      expect(await account.listIssues()).to.deep.equal([]);
    });

  it('a payment that is refunded completely after a lost answer leaves the books', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 12_500);
    await settle();
    fail('PUT Payments', { kind: 'cut_after' });
    const refund = (amount_cents: number) =>
      account.client.post(`/payments/${payment.id}/refund`, { amount_cents, reason: 'Refund' });
    await refund(2500);
    await account.hurry([]);
    await eventually('the payment was entered again', () => account.listOpen(booked)[0]?.Amount === 100);
    await refund(10_000);
    await settle();
    expect(account.listOpen(booked)).to.deep.equal([]);
    await account.waitForNotices();
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a number that another invoice has becomes an issue, and is written after a retry', async () => {
    const number = randomUUID().slice(0, 20);
    const { ContactID } = account.organisation.put('Contacts', { Name: 'Somebody', ContactStatus: 'ACTIVE' });
    const foreign = account.organisation.put('Invoices', {
      Type: 'ACCREC',
      InvoiceNumber: number,
      Contact: { ContactID },
      Status: 'AUTHORISED',
      Total: 1,
    });
    await account.release({ members: { invoice_number: number } });
    const issue = await account.waitForIssue('refused');
    expect(issue.message).to.contain(number);
    account.organisation.put('Invoices', { InvoiceID: foreign.InvoiceID, InvoiceNumber: 'renamed' });
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
    await settle();
    expect(account.findBooked(number)?.Total).to.equal(125);
  });

  it('a missing account and a locked period each ask a person at once', async () => {
    await account.release({ lines: [line({ category: 'winching', unit_price_cents: 100 })] });
    await settle();
    account.organisation.lockedUntil = '2099-12-31';
    await account.release();
    await settle();
    const messages = await eventually('there are two issues', async () => {
      const issues = await account.listIssues();
      return issues.length === 2 && issues.map(({ message }) => message as string);
    });
    expect(messages.some((text) => text.includes('no income account for winching'))).to.equal(true);
    expect(messages.some((text) => text.includes('period lock date'))).to.equal(true);
    expect(account.organisation.list('Invoices')).to.deep.equal([]);
  });

  it('a payment without an account that payments go to asks a person, and is entered after a retry', async () => {
    const { deposit_account: _account, ...others } = account.settings;
    await account.client.patch(`/connections/${account.connectionId}`, { settings: others });
    const [invoice, booked] = await account.releaseBooked();
    await account.pay(invoice.id, 5000);
    const issue = await account.waitForIssue('refused');
    expect(issue.message).to.contain('no account that payments go to');
    await account.client.patch(`/connections/${account.connectionId}`, { settings: account.settings });
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
    await settle();
    expect(account.readBooked(booked).AmountDue).to.equal(75);
  });

  it('a correction of an invoice that is paid there asks a person, and a void keeps its payments', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await settle();
    await account.waitForNotices();
    await account.pullAll();
    booking.double.webhooks.habits.isLost = true;
    const there = booking.double.payInvoice(account.organisation, String(booked.InvoiceID), 125);
    await account.client.patch(`/invoices/${invoice.id}`, { due_date: '2027-03-01' });
    await settle();
    const issue = await account.waitForIssue('refused');
    expect(issue.message).to.contain('paid in Xero');
    const voided = await account.client.post(`/invoices/${invoice.id}/void`, { reason: 'Wrong truck' });
    expect(voided.status, JSON.stringify(voided.body)).to.equal(200);
    await settle();
    await eventually('the void asks a person too', async () =>
      (await account.listIssues()).some(({ message }) => String(message).includes('has payments in Xero')),
    );
    expect(account.listOpen(booked).map(({ PaymentID }) => PaymentID)).to.deep.equal([there.PaymentID]);
  });

  it('a tax that Xero computes otherwise is shown as a difference, and not overwritten', async () => {
    await account.client.patch('/settings', { tax_rate_bps: 825 });
    account.organisation.computesTax = true;
    const taxed = line({ unit_price_cents: 3330, taxable: true });
    const invoice = await account.release({ lines: [taxed, taxed, taxed, taxed, taxed] });
    const issue = await account.waitForIssue('difference');
    expect(issue.ours.total_cents).to.equal(invoice.total_cents);
    expect(issue.theirs.total_cents).to.not.equal(invoice.total_cents);
  });
});
