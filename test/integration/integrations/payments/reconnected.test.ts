import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { refundCharge } from '../../../support/vendors/doubles/stripe/payments.js';
import { settlePayout, startPayout } from '../../../support/vendors/doubles/stripe/payouts.js';
import type { StripeObject } from '../../../support/vendors/doubles/stripe/stripe-account.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('payments of an earlier connection to the same account at the vendor', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  beforeEach(async () => {
    account = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
  });

  /** Disconnects the vendor, and connects the same account there again. */
  async function connectAgain(): Promise<void> {
    const { status } = await account.client.delete(`/connections/${account.connectionId}`);
    expect(status).to.equal(200);
    await account.connect();
  }

  async function takePayment(cents = 10_000): Promise<{ id: string; intent: StripeObject; payment: Json }> {
    const id = await account.createInvoice(cents);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    return { id, intent, payment: (await account.listPayments(id))[0] as Json };
  }
  const list = async (path: string): Promise<Json[]> => (await account.client.get(path)).body.data.items;

  it('a bank debit that settles after the new connection is recorded once', async () => {
    const id = await account.createInvoice(10_000);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url, 'us_bank_account');
    const before = await eventually('the debit is here', async () => (await account.listPayments(id))[0]);
    await connectAgain();
    account.double.settle(intent);
    await account.waitForInvoice(id, 'paid');
    const payments = await account.listPayments(id);
    expect(payments.map((one) => [one.id, one.status])).to.deep.equal([[before.id, 'succeeded']]);
  });

  it('a payment that settled while no connection existed is found by the daily comparison', async () => {
    const id = await account.createInvoice(10_000);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url, 'us_bank_account');
    await eventually('the debit is here', async () => (await account.listPayments(id))[0]);
    await account.client.delete(`/connections/${account.connectionId}`);
    account.vendor.webhook = undefined;
    account.double.settle(intent);
    // Simulate a payment from ten days ago. The first pull of a connection reads no events that
    // old.
    for (const { id: eventId } of account.vendor.list('event')) account.vendor.objects.delete(eventId);
    Object.assign(intent, { created: Number(intent.created) - 10 * 86_400 });
    await account.connect();
    await account.waitForInvoice(id, 'paid');
  });

  it('a refund that a person makes here is paid out through the new connection', async () => {
    const { intent, payment } = await takePayment();
    await connectAgain();
    const body = { amount_cents: 4000, reason: 'Storage was waived' };
    expect((await account.client.post(`/payments/${payment.id}/refund`, body)).status).to.equal(200);
    await eventually('the refund has succeeded', async () => {
      const [refund] = await list(`/refunds?payment_id=${payment.id}`);
      return refund?.status === 'succeeded';
    });
    const made = account.vendor.list('refund').filter((one) => one.payment_intent === intent.id);
    expect(made.map(({ amount }) => amount)).to.deep.equal([4000]);
  });

  it('a refund that was made at the vendor reopens the invoice', async () => {
    const { id, intent } = await takePayment();
    await connectAgain();
    refundCharge(account.vendor, intent, { amount: 2500 });
    const invoice = await account.waitForInvoice(id, 'partially_paid');
    expect(invoice.paid_cents).to.equal(7500);
  });

  it('a dispute is recorded, and evidence is sent through the new connection', async () => {
    const { id, intent } = await takePayment();
    const made = account.double.dispute(intent);
    const dispute = await eventually(
      'the dispute is here',
      async () => (await list(`/disputes?invoice_id=${id}`))[0],
    );
    await connectAgain();
    const { status } = await account.client.post(`/disputes/${dispute.id}/evidence`, { text: 'Signed.' });
    expect(status).to.equal(200);
    await eventually('the evidence is at the vendor', () => made.status === 'under_review');
    account.double.closeDispute(made, 'lost');
    await eventually('the dispute is lost', async () => {
      const [found, ...others] = await list(`/disputes?invoice_id=${id}`);
      return others.length === 0 && found?.id === dispute.id && found?.status === 'lost';
    });
  });

  it('a payout names the payments of both connections', async () => {
    const first = await takePayment(10_000);
    await connectAgain();
    const second = await takePayment(20_000);
    settlePayout(account.vendor, startPayout(account.vendor));
    const items = await eventually('the items are here', async () => {
      const [payout] = await list('/payouts');
      const found = payout ? await list(`/payouts/${payout.id}/items`) : [];
      return found.length === 2 && found;
    });
    expect(items.map(({ invoice_id }) => invoice_id)).to.have.members([first.id, second.id]);
    expect(items.map(({ payment_id }) => payment_id)).to.have.members([first.payment.id, second.payment.id]);
  });
});
