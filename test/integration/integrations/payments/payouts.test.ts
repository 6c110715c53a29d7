import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { moveBalance, refundCharge } from '../../../support/vendors/doubles/stripe/payments.js';
import { failPayout, settlePayout, startPayout } from '../../../support/vendors/doubles/stripe/payouts.js';
import type { StripeObject } from '../../../support/vendors/doubles/stripe/stripe-account.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('payouts', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  beforeEach(async () => {
    account = await paying.createAccount();
  });
  afterEach(() => {
    paying.double.webhooks.habits.isLost = false;
  });

  async function takePayment(cents: number) {
    const id = await account.createInvoice(cents);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    const [payment] = await account.listPayments(id);
    return { id, intent, paymentId: payment?.id as string };
  }
  const waitForPayout = ({ id }: StripeObject, expected: Json) =>
    eventually(`the payout is ${JSON.stringify(expected)}`, async () => {
      const { body } = await account.client.get('/payouts');
      const found = body.data.items.find((one: Json) => one.provider_payout_id === id);
      return found && Object.entries(expected).every(([name, value]) => found[name] === value) && found;
    });
  const listItems = async (id: string, query = ''): Promise<Json[]> =>
    (await account.client.get(`/payouts/${id}/items${query}`)).body.data.items;

  it('a payout shows its payments, refunds, disputes and fees, and their net amounts add up to it', async () => {
    const first = await takePayment(10_000);
    const second = await takePayment(20_000);
    const third = await takePayment(5000);
    refundCharge(account.vendor, first.intent, { amount: 2500 });
    account.double.dispute(third.intent);
    await eventually('the refund and the dispute are here', async () => {
      const { body: refunds } = await account.client.get('/refunds');
      const { body: disputes } = await account.client.get('/disputes');
      return refunds.data.items.length === 1 && disputes.data.items.length === 1;
    });
    moveBalance(account.vendor, account.vendor.list('charge')[0] as StripeObject, {
      amount: 0,
      type: 'charge',
    });
    const fee = account.vendor.add('balance_transaction', {
      amount: -200,
      fee: 0,
      net: -200,
      currency: 'usd',
      type: 'stripe_fee',
      reporting_category: 'fee',
      status: 'available',
      description: 'Card account updater',
    });
    const made = startPayout(account.vendor);
    await waitForPayout(made, { status: 'in_transit', items_status: 'pending', fee_cents: null });
    settlePayout(account.vendor, made);
    const payout = await waitForPayout(made, { status: 'paid', items_status: 'complete' });
    // The fees are 2.9 % and 30 cents for each of three payments, 15 dollars for the dispute, and
    // the separate fee.
    expect(payout).to.include({
      connection_id: account.connectionId,
      fee_cents: 320 + 610 + 175 + 1500 + 200,
    });
    expect(payout.arrival_date).to.match(/^\d{4}-\d\d-\d\d$/);
    const items = await listItems(payout.id);
    expect(items.reduce((sum, { net_cents }) => sum + net_cents, 0)).to.equal(payout.amount_cents);
    const find = (type: string, cents: number) =>
      items.find((one) => one.type === type && one.amount_cents === cents);
    expect(find('payment', 20_000)).to.include({
      payment_id: second.paymentId,
      invoice_id: second.id,
      refund_id: null,
      fee_cents: 610,
      net_cents: 19_390,
    });
    expect(find('refund', -2500)).to.include({ payment_id: first.paymentId, dispute_id: null });
    expect(find('refund', -2500)?.refund_id).to.be.a('string');
    expect(find('dispute', -5000)).to.include({ payment_id: third.paymentId, fee_cents: 1500 });
    expect(find('dispute', -5000)?.dispute_id).to.be.a('string');
    expect(find('fee', -200)).to.include({ provider_item_id: fee.id, description: 'Card account updater' });
    expect(await listItems(payout.id, '?type=refund')).to.have.length(1);
  });

  it('a payout of more than a page of items is read completely, each item once', async () => {
    const charge = account.vendor.add('charge', { amount: 100, currency: 'usd' });
    for (let count = 0; count < 230; count++)
      moveBalance(account.vendor, charge, { amount: 100, fee: 3, type: 'charge' });
    const made = startPayout(account.vendor);
    settlePayout(account.vendor, made);
    const payout = await waitForPayout(made, { items_status: 'complete' });
    expect(payout).to.include({ amount_cents: 230 * 97, fee_cents: 230 * 3 });
    const { body } = await account.client.get(`/payouts/${payout.id}/items?limit=200`);
    const rest = await listItems(payout.id, `?limit=200&cursor=${body.data.cursor}`);
    const ids = [...body.data.items, ...rest].map(({ provider_item_id }) => provider_item_id);
    expect(new Set(ids).size).to.equal(230);
    expect(ids).to.have.length(230);
  });

  it('a payout whose webhooks were lost is found by the hourly pull', async () => {
    paying.double.webhooks.habits.isLost = true;
    const made = startPayout(account.vendor);
    settlePayout(account.vendor, made);
    await account.hurry();
    await waitForPayout(made, { status: 'paid', items_status: 'complete' });
  });

  it('payout.paid and payout.failed are events, and a failed payout is a notice', async () => {
    const made = startPayout(account.vendor);
    settlePayout(account.vendor, made);
    await waitForPayout(made, { status: 'paid' });
    failPayout(account.vendor, made);
    const payout = await waitForPayout(made, {
      status: 'failed',
      failure_reason: 'The bank account has been closed.',
    });
    const { body } = await account.client.get('/events?types=payout.*');
    const events = body.data.items.filter(({ data }: Json) => data.object.id === payout.id);
    expect(events.map(({ type }: Json) => type)).to.have.members(['payout.paid', 'payout.failed']);
    const { body: notices } = await account.client.get('/notices');
    expect(notices.data.items[0]).to.include({ kind: 'payout_failed', entity_id: payout.id });
  });

  it('a payout that a person started at the vendor has no items', async () => {
    await takePayment(10_000);
    const made = startPayout(account.vendor, { isManual: true });
    settlePayout(account.vendor, made);
    const payout = await waitForPayout(made, { status: 'paid' });
    expect(payout).to.include({ items_status: 'unavailable', fee_cents: null });
    expect(await listItems(payout.id)).to.deep.equal([]);
  });

  it('another account sees no payout and no item', async () => {
    const made = startPayout(account.vendor);
    const payout = await waitForPayout(made, { status: 'in_transit' });
    const other = await paying.createAccount();
    expect((await other.client.get('/payouts')).body.data.items).to.deep.equal([]);
    expect((await other.client.get(`/payouts/${payout.id}`)).status).to.equal(404);
    expect((await other.client.get(`/payouts/${payout.id}/items`)).status).to.equal(404);
  });
});
