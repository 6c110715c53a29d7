/**
 * Kills the worker of a payments connection at the moments when a power failure would do the most
 * damage. Nothing may be lost, and nothing may be paid or refunded twice.
 */
import { expect } from 'chai';
import { chargeDue, PayingCustomer } from '../../../support/billing/paying-customer.js';
import type { TestProcess } from '../../../support/load/processes.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { presentCard } from '../../../support/vendors/doubles/stripe/readers.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';
import { type PayingAccount, PayingStack } from '../../../support/vendors/paying.js';
import { TerminalAccount } from '../../../support/vendors/terminal-account.js';

/** Before the request, after the vendor has acted on it, and after its result was stored. */
const WRITE_FAILPOINTS = ['before_vendor_write', 'after_vendor_write', 'after_vendor_result'] as const;

describe('payments whose worker is killed', () => {
  requireContracts();
  let paying: PayingStack;
  let account: PayingAccount;
  let workers: KillableWorkers;

  /** Replaces a worker that has killed itself. */
  async function takeOver(dying: TestProcess): Promise<void> {
    await workers.replace(dying, account.tenant.id);
    await account.hurry();
  }

  const listIntents = (invoiceId: string) =>
    account.vendor
      .list('payment_intent')
      .filter(({ metadata }) => Reflect.get(Object(metadata), 'invoice_id') === invoiceId);

  before(async () => {
    paying = await PayingStack.start({ integrations: false });
    workers = new KillableWorkers(paying.stack);
    await workers.start();
    account = await paying.createAccount();
    await workers.stop();
  });
  afterEach(() => workers?.stop());
  after(async () => {
    await paying?.stop();
    expect(paying?.double.violations ?? []).to.deep.equal([]);
  });

  for (const failpoint of WRITE_FAILPOINTS) {
    it(`one page is opened for a pay link if the worker dies at ${failpoint}`, async () => {
      const id = await account.createInvoice();
      const dying = await workers.startProcess(failpoint);
      const opening = account.client.post(`/invoices/${id}/pay-link`, {});
      await takeOver(dying);
      const { body } = await opening;
      const link = await eventually('the link is open', async () => {
        const read = (await account.client.get(`/pay-links/${body.id}`)).body;
        return read.status === 'open' && read;
      });
      const sessions = account.vendor
        .list('checkout.session')
        .filter(({ client_reference_id }) => client_reference_id === id);
      expect(sessions.map(({ url }) => url)).to.deep.equal([link.url]);
    });
  }

  for (const failpoint of ['before_notices_stored', 'after_notices_stored']) {
    it(`a payment is recorded once if the worker dies at ${failpoint}`, async () => {
      await workers.start();
      const id = await account.createInvoice(7000);
      const { url } = await account.openPayLink(id);
      await workers.stop();
      const dying = await workers.startProcess(failpoint);
      account.double.pay(url);
      await takeOver(dying);
      await account.waitForInvoice(id, 'paid');
      expect(await account.listPayments(id)).to.have.length(1);
    });
  }

  for (const failpoint of WRITE_FAILPOINTS) {
    it(`a card on a reader is charged once if the worker dies at ${failpoint}`, async () => {
      await workers.start();
      const terminal = await TerminalAccount.use(account, failpoint);
      const id = await account.createInvoice(4000);
      await workers.stop();
      const dying = await workers.startProcess(failpoint);
      const started = await terminal.start(id);
      await takeOver(dying);
      await terminal.waitUntilShown();
      presentCard(account.vendor, terminal.device);
      await terminal.hurryUntil(started.id, 'succeeded');
      expect(listIntents(id)).to.have.length(1);
      expect(await account.listPayments(id)).to.have.length(1);
    });
  }

  for (const failpoint of WRITE_FAILPOINTS) {
    it(`a refund is paid out once if the worker dies at ${failpoint}`, async () => {
      await workers.start();
      const id = await account.createInvoice(7000);
      const { url } = await account.openPayLink(id);
      const intent = account.double.pay(url);
      await account.waitForInvoice(id, 'paid');
      await workers.stop();
      const [payment] = await account.listPayments(id);
      const dying = await workers.startProcess(failpoint);
      await account.client.post(`/payments/${payment?.id}/refund`, { amount_cents: 3000, reason: 'Test' });
      await takeOver(dying);
      await eventually('the refund is made', async () => {
        await account.hurry();
        const { body } = await account.client.get(`/refunds?payment_id=${payment?.id}`);
        return body.data.items[0]?.status === 'succeeded';
      });
      const made = account.vendor.list('refund').filter((one) => one.payment_intent === intent.id);
      expect(made.map(({ amount }) => amount)).to.deep.equal([3000]);
      const [refunded] = await account.listPayments(id);
      expect(refunded).to.include({ amount_cents: 7000, refunded_cents: 3000 });
    });
  }

  for (const failpoint of WRITE_FAILPOINTS) {
    it(`autopay charges an invoice once if the worker dies at ${failpoint}`, async () => {
      await workers.start();
      const customer = await PayingCustomer.open(account, {});
      await workers.stop();
      const id = await customer.sendInvoice(8000);
      const { habits } = account.double.webhooks;
      // Without webhooks, only the charge itself brings the payment.
      habits.isLost = true;
      const dying = await workers.startProcess(failpoint);
      await chargeDue(paying.stack);
      await takeOver(dying);
      await eventually('the attempt has succeeded', async () => {
        await account.hurry([]);
        return (await customer.listAttempts(id))[0]?.status === 'succeeded';
      }).finally(() => Object.assign(habits, { isLost: false }));
      await account.waitForInvoice(id, 'paid');
      await chargeDue(paying.stack);
      expect(await customer.listAttempts(id)).to.have.length(1);
      expect(listIntents(id).map(({ amount, status }) => ({ amount, status }))).to.deep.equal([
        { amount: 8000, status: 'succeeded' },
      ]);
      expect(await account.listPayments(id)).to.have.length(1);
    });
  }
});
