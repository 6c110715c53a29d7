/** Kills the worker while it compares an account with its payments vendor. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { RECONCILIATION_STREAM } from '../../../../shared/integrations/contract/vendor.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';
import { type PayingAccount, PayingStack } from '../../../support/vendors/paying.js';
import { listDifferences, paySilently, waitForComparison } from '../../../support/vendors/reconciling.js';

const LIST = 'GET /v1/payment_intents';

describe('the daily comparison whose worker is killed', () => {
  requireContracts();
  let paying: PayingStack;
  let account: PayingAccount;
  let workers: KillableWorkers;

  before(async () => {
    paying = await PayingStack.start({ integrations: false });
    workers = new KillableWorkers(paying.stack);
  });
  beforeEach(async () => {
    await workers.start();
    account = await paying.createAccount();
    await waitForComparison(account);
    await workers.stop();
  });
  afterEach(() => workers?.stop());
  after(async () => {
    await paying?.stop();
    expect(paying?.double.violations ?? []).to.deep.equal([]);
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
      const dying = await workers.startProcess(failpoint);
      await account.hurry([RECONCILIATION_STREAM]);
      await workers.replace(dying, account.tenant.id);
      await account.hurry([]);
      await waitForComparison(account);
      const { body } = await account.client.get(`/invoices/${id}/payments?limit=200`);
      expect(body.data.items).to.have.length(120);
      expect((await account.readInvoice(id)).paid_cents).to.equal(12_000);
      expect(await listDifferences(account)).to.have.length(1);
      // The worker reads three pages, and reads each page again after it has recorded the page's
      // payments.
      const lists = paying.double.calls.slice(callsBefore).filter(({ name }) => name === LIST);
      expect(lists).to.have.length(6 + repeated);
    });
});
