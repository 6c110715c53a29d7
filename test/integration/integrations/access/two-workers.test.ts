/**
 * Two workers want to renew the access to one account of Stripe at the same moment. Only one
 * request reaches Stripe, and tokens that come late replace no newer ones.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';
import { PayingAccount, PayingStack } from '../../../support/vendors/paying.js';

describe('two workers that renew the access to one account of Stripe', () => {
  requireContracts();
  let paying: PayingStack;
  let account: PayingAccount;
  let workers: [KillableWorkers, KillableWorkers];
  let refreshesBefore: number;
  let answerFirst: () => void;

  before(async () => {
    paying = await PayingStack.start({ integrations: false });
    workers = [new KillableWorkers(paying.stack), new KillableWorkers(paying.stack)];
  });
  beforeEach(async () => {
    const { stack, double } = paying;
    const key = `sk_live_${randomUUID().replaceAll('-', '')}`;
    account = new PayingAccount(stack, double, await stack.createTenant(), key);
    await workers[0].start();
    await account.signIn();
    double.signIns.expireAccessTokens();
    refreshesBefore = double.signIns.refreshes;
    double.signIns.nextAnswer = new Promise((resolve) => {
      answerFirst = () => resolve(undefined);
    });
  });
  afterEach(async () => {
    answerFirst();
    for (const one of workers) await one.stop();
    expect(paying.double.violations).to.deep.equal([]);
  });
  after(() => paying?.stop());

  const countRefreshes = () => paying.double.signIns.refreshes - refreshesBefore;
  const rows = <T>(text: string) => paying.stack.rows<T>(account.tenant.id, text, [account.tenant.id]);
  const readOwner = async () =>
    (await rows<{ owner: string }>('select owner from connection_queues where tenant_id = $1'))[0]?.owner;
  const readVersion = async () =>
    (await rows<{ version: number }>('select version from connection_secrets where tenant_id = $1'))[0]
      ?.version;

  /**
   * Lets the first worker ask Stripe for new tokens. Then takes the connection away from that
   * worker, as a long pause of its process would, and gives it to the second worker.
   */
  async function handOver(): Promise<string> {
    const id = await account.createInvoice(5000);
    const { body } = await account.client.post(`/invoices/${id}/pay-link`, {});
    await eventually('the first worker renews the access', async () => {
      await account.hurry([]);
      return countRefreshes() === 1;
    });
    const first = await readOwner();
    await workers[1].start();
    await eventually('the second worker has the connection', async () => {
      const owner = await readOwner();
      if (owner === first) await workers[1].endLeases(account.tenant.id);
      await account.hurry([]);
      return owner != null && owner !== first;
    });
    return body.id;
  }
  async function waitForPage(linkId: string): Promise<void> {
    await eventually('the page is open', async () => {
      await account.hurry([]);
      return (await account.client.get(`/pay-links/${linkId}`)).body.status === 'open';
    });
    expect(account.vendor.list('checkout.session')).to.have.length(1);
  }

  it('the second worker waits for the first: one request reaches Stripe, and both use its tokens', async () => {
    const version = (await readVersion()) ?? 0;
    const linkId = await handOver();
    await eventually('the second worker waits', async () => {
      await account.hurry([]);
      const [queue] = await rows<{ last_error: string }>(
        'select last_error from connection_queues where tenant_id = $1',
      );
      return queue?.last_error === 'The access is being renewed.';
    });
    expect(countRefreshes()).to.equal(1);
    answerFirst();
    await waitForPage(linkId);
    expect(countRefreshes()).to.equal(1);
    expect(await readVersion()).to.equal(version + 1);
  });

  it('tokens that come after the lease of the refresh has ended do not replace newer ones', async () => {
    const version = (await readVersion()) ?? 0;
    const linkId = await handOver();
    await rows('update connection_secrets set refresh_lease_until = now() where tenant_id = $1');
    await waitForPage(linkId);
    expect(countRefreshes()).to.equal(2);
    const [stored] = await rows<{ sealed: string }>(
      'select sealed from connection_secrets where tenant_id = $1',
    );
    answerFirst();
    await eventually('Stripe has answered the first worker', () => paying.double.signIns.answered >= 2);
    const second = await account.createInvoice(5100);
    await account.openPayLink(second);
    const [kept] = await rows<{ sealed: string }>(
      'select sealed from connection_secrets where tenant_id = $1',
    );
    expect(kept).to.deep.equal(stored);
    expect(await readVersion()).to.equal(version + 1);
    expect(countRefreshes()).to.equal(2);
  });
});
