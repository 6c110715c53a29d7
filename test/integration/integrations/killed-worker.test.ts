/**
 * Kills a connection's worker at the moments when a power failure would do the most damage. Nothing
 * may be lost, and nothing may be sent twice.
 */
import { expect } from 'chai';
import { openIntegrationsQueue } from '../../../shared/queues/integrations.js';
import type { TestProcess } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { KillableWorkers } from '../../support/vendors/killable-workers.js';
import { type TextingAccount, TextingStack, WEBHOOK_SECRET } from '../../support/vendors/texting.js';

describe('a connection whose worker is killed', () => {
  let texting: TextingStack;
  let account: TextingAccount;
  let workers: KillableWorkers;
  const processes: TestProcess[] = [];

  const startProcess = async (failpoint?: string) => {
    const started = await workers.startProcess(failpoint);
    processes.push(started);
    return started;
  };
  const startWorker = async () => {
    await workers.start();
    await account.endLease();
  };
  const takeOver = async (dying: TestProcess) => {
    await workers.replace(dying, account.tenant.id);
    await account.hurry();
  };

  before(async () => {
    texting = await TextingStack.start({ integrations: false });
    workers = new KillableWorkers(texting.stack);
    account = await texting.createAccount();
    await startProcess();
    await account.connect();
    await workers.stop();
  });
  afterEach(() => workers?.stop());
  after(async () => {
    await texting.stop();
    expect(texting.double.violations).to.deep.equal([]);
  });

  for (const [index, failpoint] of [
    'before_vendor_write',
    'after_vendor_write',
    'after_vendor_result',
  ].entries()) {
    it(`a connection sends a text once if its worker dies at ${failpoint}`, async () => {
      const dying = await startProcess(failpoint);
      const phone = `+1212555300${index}`;
      const id = await account.sendText(phone);
      await takeOver(dying);
      await eventually('the text is sent', async () => {
        await account.hurry();
        return (await account.readMessage(id)).state === 'sent';
      });
      expect(texting.double.texts.filter(({ to }) => to === phone)).to.have.length(1);
    });
  }

  for (const [index, failpoint] of ['before_page_stored', 'after_page_stored'].entries()) {
    it(`a connection applies a change once if its worker dies at ${failpoint}`, async () => {
      await startWorker();
      const phone = `+1212555310${index}`;
      const id = await account.sendText(phone);
      await account.waitForMessages([id], 'sent');
      await workers.stop();
      const [text] = texting.double.texts.filter(({ to }) => to === phone);
      texting.double.settle(text!, 'failed', 'No such phone.');
      const dying = await startProcess(failpoint);
      await account.endLease();
      await account.postWebhook([{ id: failpoint }]);
      await takeOver(dying);
      await account.waitForMessages([id], 'failed');
      const path = `/audit-log?entity_type=message&entity_id=${id}&action=message.undelivered`;
      expect((await account.client.get(path)).body.data.count).to.equal(1);
    });
  }

  it('a connection asks for a new sign-in if its worker dies before it stores a refreshed token, and then sends once', async () => {
    texting.double.expireTokens();
    const dying = await startProcess('after_token_request');
    await account.endLease();
    const id = await account.sendText('+12125553200');
    await takeOver(dying);
    await eventually('the access is lost', async () => {
      await account.hurry();
      return (await account.read()).status === 'needs_reauth';
    });
    const { body } = await account.client.post(`/connections/${account.connectionId}/reconnect`);
    await account.signIn(body.authorize_url);
    await account.waitForStatus('active');
    await account.waitForMessages([id], 'sent');
    expect(texting.double.texts.filter(({ to }) => to === '+12125553200')).to.have.length(1);
  });

  it('no job and no log entry contains a credential or a text', async () => {
    const id = await account.sendText('+12125553300');
    const jobs = await openIntegrationsQueue(texting.stack.runtime).getJobs(['waiting']);
    expect(jobs.map(({ data }) => data)).to.deep.include({
      tenantId: account.tenant.id,
      connectionId: account.connectionId,
    });
    for (const { data } of jobs) expect(data).to.have.all.keys('tenantId', 'connectionId');
    await startProcess();
    await account.waitForMessages([id], 'sent');
    const log = processes.map(({ output }) => output).join('');
    expect(log).to.include(account.connectionId);
    for (const secret of [...texting.double.issued, 'parrot-client-secret', WEBHOOK_SECRET, 'Riverside'])
      expect(log).to.not.include(secret);
  });
});
