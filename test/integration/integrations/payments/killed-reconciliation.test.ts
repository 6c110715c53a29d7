/** Kills the worker while it compares an account with its payments vendor. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { RECONCILIATION_STREAM } from '../../../../shared/integrations/contract/vendor.js';
import { TestProcess } from '../../../support/load/processes.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, PayingStack } from '../../../support/vendors/paying.js';
import { listDifferences, paySilently, waitForComparison } from '../../../support/vendors/reconciling.js';

const LIST = 'GET /v1/payment_intents';

describe('the daily comparison whose worker is killed', () => {
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

  before(async () => {
    paying = await PayingStack.start({ integrations: false });
  });
  beforeEach(async () => {
    const running = await startWorker();
    account = await paying.createAccount();
    await waitForComparison(account);
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

  for (const [failpoint, repeated] of [
    ['before_page_stored', 1],
    ['after_page_stored', 0],
  ] as const)
    it(`repeats ${repeated} pages and skips none if the worker dies at ${failpoint}`, async () => {
      const id = await account.createInvoice(12_000);
      for (let count = 0; count < 120; count++) paySilently(account, id, 100);
      paySilently(account, randomUUID(), 500);
      const callsBefore = paying.double.calls.length;
      const dying = await startWorker(failpoint);
      await account.hurry([RECONCILIATION_STREAM]);
      expect(await dying.waitForExit()).to.deep.equal({ code: null, signal: 'SIGKILL' });
      await startWorker();
      const text = 'update connection_queues set owner = null, lease_until = null where tenant_id = $1';
      await paying.stack.rows(account.tenant.id, text, [account.tenant.id]);
      await account.hurry([]);
      await waitForComparison(account);
      const { body } = await account.client.get(`/invoices/${id}/payments?limit=200`);
      expect(body.data.items).to.have.length(120);
      expect((await account.readInvoice(id)).paid_cents).to.equal(12_000);
      expect(await listDifferences(account)).to.have.length(1);
      // Three pages, each of which is read again after its payments are recorded.
      const lists = paying.double.calls.slice(callsBefore).filter(({ name }) => name === LIST);
      expect(lists).to.have.length(6 + repeated);
    });
});
