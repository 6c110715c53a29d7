/**
 * Kills the worker of a payments connection at the moments when a power failure would do the most
 * damage. Nothing may be lost, and nothing may be paid or refunded twice.
 */
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { TestProcess } from '../../../support/load/processes.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, PayingStack } from '../../../support/vendors/paying.js';
import { presentCard } from '../../../support/vendors/stripe-double/readers.js';
import { TerminalAccount } from '../../../support/vendors/terminal-account.js';

describe('payments whose worker is killed', () => {
  requireContracts();
  let paying: PayingStack;
  let account: PayingAccount;
  let worker: TestProcess | undefined;

  async function startWorker(failpoints = ''): Promise<TestProcess> {
    const { databaseUrl, redisUrl, runtime } = paying.stack;
    worker = new TestProcess({
      command: ['node', '--import', 'tsx', 'test/support/vendors/integrations-worker.ts'],
      env: {
        NODE_ENV: 'test',
        HOME: tmpdir(),
        DATABASE_URL: databaseUrl,
        DATA_DIR: runtime.config.dataDir,
        SECRET_KEY: runtime.config.secretKey,
        INTEGRATIONS: JSON.stringify({ stripe: { base_url: paying.double.origin } }),
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        ...(failpoints ? { FAILPOINTS: failpoints } : {}),
      },
    });
    await worker.waitForOutput(/working/);
    return worker;
  }
  /** Waits until a worker is dead, ends its lease, and starts another worker. */
  async function takeOver(dying: TestProcess): Promise<void> {
    expect(await dying.waitForExit()).to.deep.equal({ code: null, signal: 'SIGKILL' });
    await startWorker();
    const text = 'update connection_queues set owner = null, lease_until = null where tenant_id = $1';
    await paying.stack.rows(account.tenant.id, text, [account.tenant.id]);
    await account.hurry();
  }

  before(async () => {
    paying = await PayingStack.start({ integrations: false });
    const running = await startWorker();
    account = await paying.createAccount();
    await running.stop('SIGTERM');
  });
  afterEach(async () => {
    await worker?.stop('SIGTERM');
    worker = undefined;
  });
  after(async () => {
    await paying?.stop();
    expect(paying?.double.violations).to.deep.equal([]);
  });

  for (const failpoint of ['before_vendor_write', 'after_vendor_write']) {
    it(`one page is opened for a pay link if the worker dies at ${failpoint}`, async () => {
      const id = await account.createInvoice();
      const dying = await startWorker(failpoint);
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
      const running = await startWorker();
      const id = await account.createInvoice(7000);
      const { url } = await account.openPayLink(id);
      await running.stop('SIGTERM');
      const dying = await startWorker(failpoint);
      account.double.pay(url);
      await takeOver(dying);
      await account.waitForInvoice(id, 'paid');
      expect(await account.listPayments(id)).to.have.length(1);
    });
  }

  for (const failpoint of ['before_vendor_write', 'after_vendor_write']) {
    it(`a card on a reader is charged once if the worker dies at ${failpoint}`, async () => {
      const running = await startWorker();
      const terminal = await TerminalAccount.use(account, failpoint);
      const id = await account.createInvoice(4000);
      await running.stop('SIGTERM');
      const dying = await startWorker(failpoint);
      const started = await terminal.start(id);
      await takeOver(dying);
      await terminal.waitUntilShown();
      presentCard(account.vendor, terminal.device);
      await terminal.hurryUntil(started.id, 'succeeded');
      const made = account.vendor
        .list('payment_intent')
        .filter(({ metadata }) => Reflect.get(Object(metadata), 'invoice_id') === id);
      expect(made).to.have.length(1);
      expect(await account.listPayments(id)).to.have.length(1);
    });
  }

  it('a refund is paid out once if the worker dies after the vendor has accepted it', async () => {
    const running = await startWorker();
    const id = await account.createInvoice(7000);
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    await running.stop('SIGTERM');
    const [payment] = await account.listPayments(id);
    const dying = await startWorker('after_vendor_write');
    await account.client.post(`/payments/${payment?.id}/refund`, { amount_cents: 7000, reason: 'Test' });
    await takeOver(dying);
    await eventually('the refund is made', async () => {
      await account.hurry();
      const { body } = await account.client.get(`/refunds?payment_id=${payment?.id}`);
      return body.data.items[0]?.status === 'succeeded';
    });
    const made = account.vendor.list('refund').filter((one) => one.payment_intent === intent.id);
    expect(made).to.have.length(1);
  });
});
