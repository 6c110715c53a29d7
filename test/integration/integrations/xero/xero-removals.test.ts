import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { XeroRecord } from '../../../support/vendors/doubles/xero/where.js';
import { useXeroStack, type XeroAccount } from '../../../support/vendors/xero-booking.js';

describe('Xero: payments that are removed, and entered again', () => {
  requireContracts();
  const booking = useXeroStack();
  let account: XeroAccount;
  let paid: { invoiceId: string; paymentId: string; booked: XeroRecord };
  beforeEach(async () => {
    account = await booking.createAccount();
    const [invoice, booked] = await account.releaseBooked();
    const { id: paymentId } = await account.pay(invoice.id, 12_500);
    paid = { invoiceId: invoice.id, paymentId, booked };
    await settle();
    await account.waitForNotices();
  });

  async function settle(): Promise<void> {
    await eventually('the writes have ended', async () => {
      await account.hurry([]);
      const text = 'select from outbound_operations where next_at is not null and tenant_id = $1';
      return (await account.stack.rows(account.tenant.id, text, [account.tenant.id])).length === 0;
    });
  }

  const refund = (amount_cents: number) =>
    account.client.post(`/payments/${paid.paymentId}/refund`, { amount_cents, reason: 'Refund' });
  const move = (verb: 'pause' | 'resume') =>
    account.client.post(`/connections/${account.connectionId}/${verb}`, {});
  const listAmounts = () => account.listOpen(paid.booked).map(({ Amount }) => Amount);
  const resolve = (id: string, resolution: string) =>
    account.client.post(`/sync-issues/${id}/resolve`, { resolution });

  it('an invoice that is refunded and voided while nothing is sent is void there, without an issue', async () => {
    await move('pause');
    expect((await refund(12_500)).status).to.equal(200);
    const voided = await account.client.post(`/invoices/${paid.invoiceId}/void`, { reason: 'Wrong car' });
    expect(voided.status, JSON.stringify(voided.body)).to.equal(200);
    await move('resume');
    await settle();
    expect(listAmounts()).to.deep.equal([]);
    expect(account.organisation.get('Invoices', String(paid.booked.InvoiceID)).Status).to.equal('VOIDED');
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('an entry that Xero refuses after the deletion becomes an issue, whose retry enters it', async () => {
    booking.double.misbehave = (name) =>
      name === 'PUT Payments' ? { kind: 'status', status: 400 } : undefined;
    await refund(2500);
    await settle();
    expect(listAmounts()).to.deep.equal([]);
    const issue = await account.waitForIssue('difference');
    expect(issue.message).to.match(/Payment/);
    booking.double.misbehave = () => undefined;
    expect((await resolve(issue.id, 'retry')).status).to.equal(200);
    await settle();
    expect(listAmounts()).to.deep.equal([100]);
    await account.waitForNotices();
    await account.pullAll();
    expect(await account.listIssues()).to.deep.equal([]);
    expect(await account.listPayments(paid.invoiceId)).to.have.length(1);
  });

  it('a payment that the bookkeeper deleted stays deleted, also if an attempt of ours was lost', async () => {
    const [own] = account.listOpen(paid.booked);
    account.bookkeeper.removePayment(String(own?.PaymentID));
    await account.waitForNotices();
    await account.pullAll();
    const issue = await account.waitForIssue('difference');
    expect((await resolve(issue.id, 'ignore')).status).to.equal(200);
    await move('pause');
    await refund(2500);
    // The worker was killed after it had begun this write.
    const text =
      'update outbound_operations set may_have_arrived = true where next_at is not null and tenant_id = $1';
    await account.stack.rows(account.tenant.id, text, [account.tenant.id]);
    await move('resume');
    await settle();
    expect(listAmounts()).to.deep.equal([]);
  });
});
