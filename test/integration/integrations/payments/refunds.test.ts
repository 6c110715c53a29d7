import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { refundCharge } from '../../../support/vendors/doubles/stripe/payments.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('refunds at the payments vendor', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  before(async () => {
    account = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
  });
  afterEach(() => {
    paying.double.misbehave = () => undefined;
  });

  async function takePayment(cents: number) {
    const id = await account.createInvoice(cents);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    const [payment] = await account.listPayments(id);
    return { id, intent, paymentId: payment?.id as string };
  }
  const refund = (paymentId: string, amount_cents: number) =>
    account.client.post(`/payments/${paymentId}/refund`, { amount_cents, reason: 'Storage was waived' });
  const listRefunds = async (paymentId: string) =>
    (await account.client.get(`/refunds?payment_id=${paymentId}`)).body.data.items;
  const waitForRefund = (paymentId: string, status: string) =>
    eventually(`the refund is ${status}`, async () => {
      const [found] = await listRefunds(paymentId);
      return found?.status === status && found;
    });

  it('a partial refund is paid out at the vendor once, and reopens the invoice', async () => {
    const { id, intent, paymentId } = await takePayment(10_000);
    const { status, body } = await refund(paymentId, 4000);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.refunded_cents).to.equal(4000);
    await waitForRefund(paymentId, 'succeeded');
    const [made, ...others] = account.vendor.list('refund').filter((one) => one.payment_intent === intent.id);
    expect(others).to.deep.equal([]);
    expect(made?.amount).to.equal(4000);
    expect(await account.readInvoice(id)).to.include({ status: 'partially_paid', paid_cents: 6000 });
  });

  it('a refund whose answer was lost is paid out once', async () => {
    const { intent, paymentId } = await takePayment(10_000);
    let isFaulty = true;
    paying.double.misbehave = (name) => {
      if (name !== 'POST /v1/refunds' || !isFaulty) return undefined;
      isFaulty = false;
      return { kind: 'cut_after' };
    };
    await refund(paymentId, 10_000);
    await eventually('the refund is made', async () => {
      if (!isFaulty) await account.hurry();
      return (await listRefunds(paymentId))[0]?.status === 'succeeded';
    });
    expect(account.vendor.list('refund').filter((one) => one.payment_intent === intent.id)).to.have.length(1);
  });

  it('a refund that fails days later puts the money back on the books, with a notice', async () => {
    const { id, paymentId } = await takePayment(10_000);
    await refund(paymentId, 10_000);
    const { id: refundId } = await waitForRefund(paymentId, 'succeeded');
    expect((await account.readInvoice(id)).paid_cents).to.equal(0);
    const made = account.vendor
      .list('refund')
      .find(({ metadata }) => Object(metadata).refund_id === refundId);
    account.double.failRefund(made as never);
    const failed = await waitForRefund(paymentId, 'failed');
    expect(failed.failure_reason).to.equal('expired_or_canceled_card');
    expect(await account.readInvoice(id)).to.include({ status: 'paid', paid_cents: 10_000 });
    const payment = (await account.client.get(`/payments/${paymentId}`)).body;
    expect(payment).to.include({ refunded_cents: 0, credit_cents: 0 });
    const { body } = await account.client.get('/notices');
    expect(body.data.items.map(({ kind }: { kind: string }) => kind)).to.include('refund_failed');
  });

  it('a refund that the vendor refuses counts as never made, and opens a sync issue', async () => {
    const { id, intent, paymentId } = await takePayment(10_000);
    // The payment's own webhooks and pulls must not read the refund that follows.
    await account.waitForPulls();
    await eventually('the webhooks are worked off', async () => (await account.countWaitingNotices()) === 0);
    // The money was refunded at the vendor, and the webhook has not arrived.
    paying.double.webhooks.habits.isLost = true;
    refundCharge(account.vendor, intent, { amount: 10_000 });
    paying.double.webhooks.habits.isLost = false;
    expect((await refund(paymentId, 4000)).status).to.equal(200);
    await waitForRefund(paymentId, 'failed');
    expect((await account.readInvoice(id)).paid_cents).to.equal(10_000);
    const { body } = await account.client.get('/sync-issues');
    expect(body.data.items[0]).to.include({ kind: 'refused', record_kind: 'refund' });
    // The next pull finds the refund that was made at the vendor.
    await account.hurry();
    await eventually('the books agree', async () => (await account.readInvoice(id)).paid_cents === 0);
  });

  it('a refund of a bank debit stays pending until the vendor has paid it out', async () => {
    const id = await account.createInvoice(6000);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url, 'us_bank_account');
    account.double.settle(intent);
    await account.waitForInvoice(id, 'paid');
    const [payment] = await account.listPayments(id);
    await refund(payment?.id, 6000);
    await eventually('the refund is at the vendor', () =>
      account.vendor.list('refund').some((one) => one.payment_intent === intent.id),
    );
    await waitForRefund(payment?.id, 'pending');
    const made = account.vendor.list('refund').find((one) => one.payment_intent === intent.id);
    Object.assign(made as object, { status: 'succeeded' });
    account.vendor.emit('refund.updated', made as never);
    await waitForRefund(payment?.id, 'succeeded');
  });

  it('a refund made at the vendor appears here', async () => {
    const { id, intent, paymentId } = await takePayment(10_000);
    refundCharge(account.vendor, intent, { amount: 2500 });
    const found = await waitForRefund(paymentId, 'succeeded');
    expect(found).to.include({ amount_cents: 2500, reason: 'Refunded at stripe', invoice_id: id });
    expect(await account.readInvoice(id)).to.include({ status: 'partially_paid', paid_cents: 7500 });
  });
});
