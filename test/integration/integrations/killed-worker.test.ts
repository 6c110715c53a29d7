/**
 * Kills a connection's worker at the moments when a power failure would do the most damage. Nothing
 * may be lost, and nothing may be sent twice.
 */
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { MIGRATION_HEAD } from '../../../migrations/index.js';
import { createFoundation, createRuntime, type Runtime } from '../../../shared/platform/process/runtime.js';
import { openIntegrationsQueue } from '../../../shared/queues/integrations.js';
import { startWorkers } from '../../../workers/queues.js';
import { TestProcess } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import {
  buildIntegrationsSetting,
  TEST_VENDORS,
  type TextingAccount,
  TextingStack,
  WEBHOOK_SECRET,
} from '../../support/vendors/texting.js';

describe('a connection whose worker is killed', () => {
  let texting: TextingStack;
  let account: TextingAccount;
  let worker: TestProcess | undefined;
  let survivor: Runtime | undefined;
  const workers: TestProcess[] = [];

  const startWorker = async (failpoints = '') => {
    const { databaseUrl, redisUrl, runtime } = texting.stack;
    worker = new TestProcess({
      command: ['node', '--import', 'tsx', 'test/support/vendors/integrations-worker.ts'],
      env: {
        NODE_ENV: 'test',
        HOME: tmpdir(),
        DATABASE_URL: databaseUrl,
        DATA_DIR: runtime.config.dataDir,
        SECRET_KEY: runtime.config.secretKey,
        INTEGRATIONS: buildIntegrationsSetting(texting.server),
        LOG_LEVEL: 'trace',
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        ...(failpoints ? { FAILPOINTS: failpoints } : {}),
      },
    });
    workers.push(worker);
    await worker.waitForOutput(/working/);
    return worker;
  };
  const waitForDeath = async (dying: TestProcess) =>
    expect(await dying.waitForExit()).to.deep.equal({ code: null, signal: 'SIGKILL' });
  /**
   * Starts another worker, and ends the dead worker's lease, which would otherwise last 15 s more.
   */
  const takeOver = async () => {
    const { databaseUrl, runtime } = texting.stack;
    survivor = createRuntime(createFoundation(runtime.config, 'integrations'), {
      name: 'integrations',
      databaseUrl,
      migrationHead: MIGRATION_HEAD,
    });
    await startWorkers(survivor, ['integrations'], TEST_VENDORS);
    await account.endLease();
  };
  const stopWorkers = async () => {
    await worker?.stop('SIGTERM');
    await survivor?.lifecycle.close(10_000);
    survivor = undefined;
  };

  before(async () => {
    texting = await TextingStack.start({ integrations: false });
    account = await texting.createAccount();
    await startWorker();
    await account.connect();
    await stopWorkers();
  });
  afterEach(stopWorkers);
  after(async () => {
    await texting.stop();
    expect(texting.double.violations).to.deep.equal([]);
  });

  for (const [index, failpoint] of [
    'before_vendor_write',
    'after_vendor_write',
    'after_vendor_result',
  ].entries()) {
    it(`sends a text once if it dies at ${failpoint}`, async () => {
      const dying = await startWorker(failpoint);
      const phone = `+1212555300${index}`;
      const id = await account.sendText(phone);
      await waitForDeath(dying);
      await takeOver();
      await eventually('the text is sent', async () => {
        await account.hurry();
        return (await account.readMessage(id)).state === 'sent';
      });
      expect(texting.double.texts.filter(({ to }) => to === phone)).to.have.length(1);
    });
  }

  for (const [index, failpoint] of ['before_page_stored', 'after_page_stored'].entries()) {
    it(`applies a change once if it dies at ${failpoint}`, async () => {
      await takeOver();
      const phone = `+1212555310${index}`;
      const id = await account.sendText(phone);
      await account.waitForMessages([id], 'sent');
      await stopWorkers();
      const [text] = texting.double.texts.filter(({ to }) => to === phone);
      texting.double.settle(text!, 'failed', 'No such phone.');
      const dying = await startWorker(failpoint);
      await account.endLease();
      await account.postWebhook([{ id: failpoint }]);
      await waitForDeath(dying);
      await takeOver();
      await account.waitForMessages([id], 'failed');
      const path = `/audit-log?entity_type=message&entity_id=${id}&action=message.undelivered`;
      expect((await account.client.get(path)).body.data.count).to.equal(1);
    });
  }

  it('asks for a new sign-in if it dies between a refresh and its storing, and then sends once', async () => {
    texting.double.expireTokens();
    const dying = await startWorker('after_token_request');
    await account.endLease();
    const id = await account.sendText('+12125553200');
    await waitForDeath(dying);
    await takeOver();
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
    await startWorker();
    await account.waitForMessages([id], 'sent');
    const log = workers.map(({ output }) => output).join('');
    expect(log).to.include(account.connectionId);
    for (const secret of [...texting.double.issued, 'parrot-client-secret', WEBHOOK_SECRET, 'Riverside'])
      expect(log).to.not.include(secret);
  });
});
