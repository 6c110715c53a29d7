import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { RECONCILIATION_STREAM } from '../../../../shared/integrations/contract/vendor.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { refundCharge } from '../../../support/vendors/doubles/stripe/payments.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';
import {
  compareNow,
  forgetEvents,
  listDifferences,
  paySilently,
  waitForComparison,
} from '../../../support/vendors/reconciling.js';

const DAY = 86_400;

describe('the daily comparison with the payments vendor', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  beforeEach(async () => {
    account = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
    await waitForComparison(account);
  });
  afterEach(() => {
    paying.double.webhooks.habits.isLost = false;
    paying.double.misbehave = () => undefined;
  });

  async function takePayment(cents: number) {
    const id = await account.createInvoice(cents);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    return { id, intent };
  }
  /** Makes a change at the vendor. The product gets neither a webhook nor an event about it. */
  function happenSilently<T>(happen: () => T): T {
    paying.double.webhooks.habits.isLost = true;
    const result = happen();
    paying.double.webhooks.habits.isLost = false;
    forgetEvents(account);
    return result;
  }

  it('records a payment whose webhook and event were both lost', async () => {
    const id = await account.createInvoice(9000);
    const { url } = await account.openPayLink(id);
    happenSilently(() => account.double.pay(url));
    await account.hurry();
    expect((await account.readInvoice(id)).paid_cents).to.equal(0);
    await compareNow(account);
    expect(await account.readInvoice(id)).to.include({ status: 'paid', paid_cents: 9000 });
    expect(await account.listPayments(id)).to.have.length(1);
    expect(await listDifferences(account)).to.deep.equal([]);
  });

  it('records refunds and disputes whose webhooks and events were lost', async () => {
    const refunded = await takePayment(10_000);
    const disputed = await takePayment(5000);
    happenSilently(() => {
      refundCharge(account.vendor, refunded.intent, { amount: 4000 });
      account.double.closeDispute(account.double.dispute(disputed.intent), 'lost');
    });
    await compareNow(account);
    expect((await account.readInvoice(refunded.id)).paid_cents).to.equal(6000);
    expect((await account.readInvoice(disputed.id)).paid_cents).to.equal(0);
    expect(await listDifferences(account)).to.deep.equal([]);
  });

  it('records a refund and its payment, also if the payment is older than the compared days', async () => {
    const id = await account.createInvoice(9000);
    const intent = paySilently(account, id, 9000);
    intent.created -= 10 * DAY;
    happenSilently(() => refundCharge(account.vendor, intent, { amount: 2000 }));
    await compareNow(account);
    expect((await account.readInvoice(id)).paid_cents).to.equal(7000);
    expect(await listDifferences(account)).to.deep.equal([]);
  });

  it('finds a bank debit that settled days after it was made', async () => {
    const id = await account.createInvoice(6000);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url, 'us_bank_account');
    await eventually('it is processing', async () => (await account.listPayments(id)).length === 1);
    intent.created -= 6 * DAY;
    happenSilently(() => account.double.settle(intent));
    await compareNow(account);
    expect((await account.readInvoice(id)).status).to.equal('paid');
  });

  it('shows another amount as one issue with both sides, until it has gone', async () => {
    const { id, intent } = await takePayment(8000);
    intent.amount_received = 7000;
    await compareNow(account);
    const [issue, ...others] = await listDifferences(account);
    expect(others).to.deep.equal([]);
    const [payment] = await account.listPayments(id);
    expect(issue).to.deep.include({
      kind: 'difference',
      record_kind: 'payment',
      record_id: payment?.id,
      ours: { status: 'succeeded', amount_cents: 8000 },
      theirs: { status: 'succeeded', amount_cents: 7000 },
    });
    const { body: notices } = await account.client.get('/notices');
    expect(notices.data.items[0]).to.include({ kind: 'sync_issue_opened', entity_id: account.connectionId });
    await compareNow(account);
    expect(await listDifferences(account)).to.deep.equal([issue]);
    expect((await account.client.get('/notices')).body.data.items).to.have.length(notices.data.items.length);
    intent.amount_received = 7500;
    await compareNow(account);
    const [changed] = await listDifferences(account);
    expect(changed).to.deep.include({ id: issue?.id, theirs: { status: 'succeeded', amount_cents: 7500 } });
    intent.amount_received = 8000;
    await compareNow(account);
    expect(await listDifferences(account)).to.deep.equal([]);
    const [closed] = await listDifferences(account, 'resolved');
    expect(closed).to.include({ id: issue?.id, resolution: null, note: 'Both sides agree again.' });
    expect((await account.readInvoice(id)).paid_cents).to.equal(8000);
  });

  it('shows a payment whose invoice does not exist here, and keeps silent once it is ignored', async () => {
    const intent = paySilently(account, randomUUID(), 3000);
    await compareNow(account);
    const [issue] = await listDifferences(account);
    expect(issue).to.deep.include({
      record_id: null,
      ours: null,
      theirs: { status: 'succeeded', amount_cents: 3000 },
    });
    expect(issue?.message).to.include(intent.id);
    const path = `/sync-issues/${issue?.id}/resolve`;
    expect((await account.client.post(path, { resolution: 'theirs' })).status).to.equal(409);
    await account.client.post(path, { resolution: 'ignore' });
    await compareNow(account);
    expect(await listDifferences(account)).to.deep.equal([]);
  });

  it('shows a payment that the vendor does not know, and compares again when a person asks', async () => {
    const { intent } = await takePayment(8000);
    account.vendor.objects.delete(intent.id);
    await compareNow(account);
    const [issue] = await listDifferences(account);
    expect(issue).to.deep.include({ ours: { status: 'succeeded', amount_cents: 8000 }, theirs: null });
    await account.client.post(`/sync-issues/${issue?.id}/resolve`, { resolution: 'retry' });
    const again = await eventually('it is shown again', async () => (await listDifferences(account))[0]);
    expect(again.id).to.not.equal(issue?.id);
    await waitForComparison(account);
    account.vendor.objects.set(intent.id, intent);
    await compareNow(account);
    expect(await listDifferences(account)).to.deep.equal([]);
  });

  it('shows a refund that was given up because its payment never came', async () => {
    const intent = paySilently(account, randomUUID(), 3000);
    intent.created -= 10 * DAY;
    const refund = refundCharge(account.vendor, intent, { amount: 1000 });
    refund.created -= 10 * DAY;
    // The vendor sends several webhooks, so wait until the one about the refund was read.
    const giveUp = `update inbound_notices set attempts = 45, is_waiting = false
      where tenant_id = $1 and hint = $2 and attempts > 0 returning hint`;
    await eventually('the refund is given up', async () => {
      const given = await account.stack.rows(account.tenant.id, giveUp, [account.tenant.id, refund.id]);
      return given.length > 0;
    });
    await compareNow(account);
    const issues = await listDifferences(account);
    expect(issues.map(({ record_kind: kind, message }) => [kind, message.includes(refund.id)])).to.deep.equal(
      [['refund', true]],
    );
  });

  it('takes no notice of payments that other programs made', async () => {
    const intent = paySilently(account, randomUUID(), 3000);
    intent.metadata = {};
    await compareNow(account);
    expect(await listDifferences(account)).to.deep.equal([]);
  });

  it('records no payment a second time after the vendor is connected again', async () => {
    const { id } = await takePayment(8000);
    await account.client.call('DELETE', `/connections/${account.connectionId}`);
    await account.connect();
    await compareNow(account);
    expect(await account.listPayments(id)).to.have.length(1);
    expect(await account.readInvoice(id)).to.include({ status: 'paid', paid_cents: 8000 });
    expect(await listDifferences(account)).to.deep.equal([]);
  });

  it('walks through all pages of more than 100 payments, and reads a page again after an error', async () => {
    const id = await account.createInvoice(12_000);
    for (let count = 0; count < 120; count++) paySilently(account, id, 100);
    let faults = 0;
    paying.double.misbehave = (name) =>
      name === 'GET /v1/payment_intents' && ++faults === 2 ? { kind: 'limit', seconds: 1 } : undefined;
    await account.hurry([RECONCILIATION_STREAM]);
    await eventually('a page has failed', () => faults >= 2);
    await account.hurry([RECONCILIATION_STREAM]);
    await waitForComparison(account);
    expect(await account.readInvoice(id)).to.include({ status: 'paid', paid_cents: 12_000 });
    const { body } = await account.client.get(`/invoices/${id}/payments?limit=200`);
    expect(body.data.items).to.have.length(120);
  });

  it('of one account leaves another account undisturbed', async () => {
    const other = await paying.createAccount();
    await waitForComparison(other);
    const id = await account.createInvoice(4000);
    paySilently(account, id, 4000);
    paySilently(account, randomUUID(), 100);
    const otherId = await other.createInvoice(5000);
    paySilently(other, otherId, 5000);
    await Promise.all([compareNow(account), compareNow(other)]);
    expect((await account.readInvoice(id)).paid_cents).to.equal(4000);
    expect((await other.readInvoice(otherId)).paid_cents).to.equal(5000);
    expect(await listDifferences(account)).to.have.length(1);
    expect(await listDifferences(other)).to.deep.equal([]);
  });
});
