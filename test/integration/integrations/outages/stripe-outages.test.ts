/**
 * Stripe is down for an hour, refuses every call with 429, or has another time than we. Afterwards
 * nothing is lost, nothing was done twice, and both books agree to the cent.
 */
import { expect } from 'chai';
import { chargeDue, PayingCustomer } from '../../../support/billing/paying-customer.js';
import { eventually } from '../../../support/poll.js';
import {
  listIntents,
  listOwnBooks,
  listVendorBooks,
} from '../../../support/vendors/comparing/payment-books.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { passMinutes } from '../../../support/vendors/outages/pass-minutes.js';
import { RefusalStorm } from '../../../support/vendors/outages/refusal-storm.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';
import { compareNow } from '../../../support/vendors/reconciling.js';

const OUTAGE: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'cut_before' },
  // Stripe has done it, but the answer is lost.
  { kind: 'cut_after' },
];
/** The attempts of a write. */
const MAX_ATTEMPTS = 10;

describe('Stripe that is down, refuses calls, or has another time', function () {
  this.timeout(120_000);
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  beforeEach(async () => {
    account = await paying.createAccount();
  });
  afterEach(() => {
    paying.double.misbehave = () => undefined;
    paying.double.webhooks.habits.isLost = false;
    account.vendor.skewSeconds = 0;
  });

  async function payByLink(cents: number): Promise<string> {
    const id = await account.createInvoice(cents);
    account.double.pay((await account.openPayLink(id)).url);
    await account.waitForInvoice(id, 'paid');
    return id;
  }
  async function refund(invoiceId: string, amount_cents: number): Promise<void> {
    const [payment] = await account.listPayments(invoiceId);
    const body = { amount_cents, reason: 'Test' };
    const { status } = await account.client.post(`/payments/${payment?.id}/refund`, body);
    expect(status).to.equal(200);
  }
  const listRefunds = () => account.vendor.list('refund').map(({ amount }) => amount);
  const readStatus = async () =>
    (await account.client.get(`/connections/${account.connectionId}`)).body.status;
  async function listOperations(state: string) {
    const path = `/connections/${account.connectionId}/operations?state=${state}&limit=200`;
    return (await account.client.get(path)).body.data.items;
  }
  async function expectSameBooks(invoiceIds: readonly string[]): Promise<void> {
    expect(await listOwnBooks(account, invoiceIds)).to.deep.equal(listVendorBooks(account, invoiceIds));
    expect(await listOperations('dead')).to.deep.equal([]);
    expect((await account.client.get('/sync-issues')).body.data.items).to.deep.equal([]);
  }

  it('Stripe is down for an hour: a refund, a charge, a pay link and a payment are done once afterwards', async () => {
    const refunded = await payByLink(7000);
    const customer = await PayingCustomer.open(account, {});
    const paidMeanwhile = await account.createInvoice(4100);
    const { url } = await account.openPayLink(paidMeanwhile);
    let calls = 0;
    paying.double.misbehave = () => OUTAGE[calls++ % OUTAGE.length];
    paying.double.webhooks.habits.isLost = true;
    await refund(refunded, 3500);
    const charged = await customer.sendInvoice(5200);
    await chargeDue(paying.stack);
    const linked = await account.createInvoice(6300);
    const { body: link } = await account.client.post(`/invoices/${linked}/pay-link`, {});
    account.double.pay(url);
    for (let minutes = 0; minutes < 60; minutes += 10) await passMinutes(account, 10);
    expect(await readStatus()).to.equal('failing');
    expect(calls).to.be.above(OUTAGE.length);

    paying.double.misbehave = () => undefined;
    await eventually('all of it is done', async () => {
      await passMinutes(account, 10);
      const open = await listOperations('due');
      const paid = await Promise.all([charged, paidMeanwhile].map((id) => account.readInvoice(id)));
      return open.length === 0 && paid.every(({ status }) => status === 'paid');
    });
    await eventually('the connection works', async () => (await readStatus()) === 'active');
    expect(listRefunds()).to.deep.equal([3500]);
    expect(listIntents(account, [charged])).to.have.length(1);
    expect(await customer.listAttempts(charged)).to.have.length(1);
    const sessions = account.vendor
      .list('checkout.session')
      .filter(({ client_reference_id }) => client_reference_id === linked);
    const opened = await eventually('the answer about the link to be stored', async () => {
      const { body } = await account.client.get(`/pay-links/${link.id}`);
      return body.status !== 'opening' && body;
    });
    expect(opened.status).to.equal('open');
    expect(sessions.map((one) => one.url)).to.deep.equal([opened.url]);
    await expectSameBooks([refunded, charged, linked, paidMeanwhile]);
  });

  it('Stripe refuses every call with 429 for longer than a write has attempts: each write is made once', async () => {
    const invoices = [await payByLink(7000), await payByLink(8000)];
    const late = await account.createInvoice(4200);
    const { url } = await account.openPayLink(late);
    let refusals = 0;
    paying.double.misbehave = (name) => {
      if (name === 'POST /v1/refunds') refusals += 1;
      return { kind: 'limit', seconds: 50 };
    };
    for (const id of invoices) await refund(id, 2000);
    account.double.pay(url);
    await paying.double.webhooks.settle();
    // Then at least one of the refunds was refused more often than it has attempts.
    while (refusals <= invoices.length * MAX_ATTEMPTS) await passMinutes(account, 1);
    expect(listRefunds()).to.deep.equal([]);
    expect(await readStatus()).to.equal('active');

    paying.double.misbehave = () => undefined;
    await eventually('all refunds are made, and the payment is recorded', async () => {
      await passMinutes(account, 1);
      const { status } = await account.readInvoice(late);
      return status === 'paid' && (await listOperations('due')).length === 0;
    });
    expect(listRefunds()).to.deep.equal([2000, 2000]);
    await expectSameBooks([...invoices, late]);
  });

  it('Stripe refuses every call with 429 for a while: no call comes before Retry-After, and each write is made once', async () => {
    const invoices = [await payByLink(7000), await payByLink(8000)];
    // A step may read the records of several webhooks at the same time.
    await paying.double.webhooks.settle();
    await eventually('all webhooks are read', async () => (await account.countWaitingNotices()) === 0);
    await account.waitForPulls();
    const storm = new RefusalStorm(paying.double, account.authorization, [1, 2, 1]);
    for (const id of invoices) await refund(id, 2000);
    await eventually('the refunds are made', async () => (await listOperations('due')).length === 0);
    storm.expectObeyed();
    expect(listRefunds()).to.deep.equal([2000, 2000]);
    await expectSameBooks(invoices);
  });

  for (const skewSeconds of [-100, 100])
    it(`Stripe's clock differs by ${skewSeconds} s: payments come by webhook and by pull, a charge with a lost answer is found`, async () => {
      account.vendor.skewSeconds = skewSeconds;
      const { habits } = paying.double.webhooks;
      const pushed = await payByLink(3100);
      const pulled = await account.createInvoice(3200);
      const { url } = await account.openPayLink(pulled);
      const customer = await PayingCustomer.open(account, {});
      habits.isLost = true;
      account.double.pay(url);
      await eventually('the pull finds the payment', async () => {
        await account.hurry();
        return (await account.readInvoice(pulled)).status === 'paid';
      });
      // The client repeats a request at once if a reused socket was closed, so that one fails too.
      let charges = 0;
      paying.double.misbehave = (name) => {
        if (name !== 'POST /v1/payment_intents') return undefined;
        return charges++ === 0 ? { kind: 'cut_after' } : { kind: 'status', status: 500 };
      };
      const charged = await customer.sendInvoice(3300);
      await chargeDue(paying.stack);
      await eventually('the attempt has ended', async () => {
        const [open] = await listOperations('due');
        return open?.attempts === 1;
      });
      // Stripe forgets idempotency keys after a day. So the search alone must find the charge.
      account.vendor.answers.clear();
      paying.double.misbehave = () => undefined;
      await eventually('the charge is found', async () => {
        await account.hurry([]);
        return (await account.readInvoice(charged)).status === 'paid';
      });
      expect(listIntents(account, [charged])).to.have.length(1);
      await expectSameBooks([pushed, pulled, charged]);
    });

  for (const skewSeconds of [-3600, 3600])
    it(`Stripe's clock differs by ${skewSeconds} s: its webhooks are refused with 401, and the daily comparison finds the payment once`, async () => {
      const id = await account.createInvoice(3400);
      const { url } = await account.openPayLink(id);
      account.vendor.skewSeconds = skewSeconds;
      const first = paying.double.webhooks.statuses.length;
      account.double.pay(url);
      await paying.double.webhooks.settle();
      expect([...new Set(paying.double.webhooks.statuses.slice(first))]).to.deep.equal([401]);
      await compareNow(account);
      await account.waitForInvoice(id, 'paid');
      await account.hurry();
      await account.waitForPulls();
      expect(await account.listPayments(id)).to.have.length(1);
      await expectSameBooks([id]);
    });
});
