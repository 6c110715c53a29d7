/** Redis loses the end of its file, and then has no memory left, while clients write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createLogger } from '../../../shared/platform/logger.js';
import { connectRedis, QUEUE_PREFIX } from '../../../shared/platform/process/redis.js';
import { RedisWorker } from '../../../shared/queues/backends/redis-worker.js';
import type { Readiness } from '../../../shared/server/health.js';
import { TestClient } from '../../support/client.js';
import { runTotals } from '../../support/load/deployed-service.js';
import type { Deployment } from '../../support/load/deployment.js';
import type { Load } from '../../support/load/load.js';
import { fetchMetrics } from '../../support/load/load-invariants.js';
import { reportPause } from '../../support/load/report-pause.js';
import { runUnderLoad } from '../../support/load/run-load.js';
import { eventually } from '../../support/poll.js';
import { locateRedis } from '../../support/redis/locate.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { AppendingRedis } from '../../support/redis/topologies/appending.js';
import { IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('redis-server', 'redis-cli');
/** Shorter than the default, so that writes which lost their job become operations soon. */
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };
const FULL = 'Redis takes no writes because its memory is full (OOM)';
/** Several jobs whose writes were acknowledged. */
const LOST_BYTES = 50_000;

/** Waits until /readyz shows this error of the queue; undefined if there is none. */
async function waitForQueueCheck(
  { origin }: { origin: string },
  expected: string | undefined,
): Promise<void> {
  await eventually(`/readyz to show ${expected}`, async () => {
    const { ok, checks } = (await (await fetch(`${origin}/readyz`)).json()) as Readiness;
    return ok && checks.queue?.error === expected;
  });
}

/** Redis is killed and loses the end of its file. Then it starts only if it may leave that out. */
async function loseEndOfFile(redis: AppendingRedis, load: Load): Promise<void> {
  await redis.kill();
  runTotals.kills += 1;
  redis.cutFile(LOST_BYTES);
  const refusal = await redis.restart('--aof-load-truncated', 'no').catch(String);
  expect(refusal).to.equal('Error: redis-server ended with 1');
  await redis.restart('--aof-load-truncated', 'yes');
  await reportPause('end of the file lost', load);
}

/** The writer stops, the memory becomes full, and a new writer runs the jobs that wait. */
async function fillMemory(redis: AppendingRedis, deployment: Deployment, load: Load): Promise<void> {
  const { web, writer } = deployment;
  const [tenant] = await deployment.createTenants(1);
  await writer.stop('SIGTERM');
  await eventually('jobs to wait', async () => (await redis.countJobs('wait')) > 0);
  await redis.fillMemory();

  const client = new TestClient(web.origin, tenant?.key ?? '');
  // A write that shares a batch with earlier ones waits for their replies first.
  const refused = await eventually('the queue to be full', async () => {
    const reply = await client.post('/customers', { company_name: 'Refused' });
    return reply.body.error?.message?.startsWith('The write queue is full.') && reply;
  });
  expect([refused.status, refused.headers['retry-after'], refused.body.error.message]).to.deep.equal([
    503,
    '1',
    'The write queue is full. Send the request again with the same Idempotency-Key.',
  ]);
  expect((await client.get('/customers')).body.data.items).to.deep.equal([]);
  await waitForQueueCheck(web, FULL);
  expect((await fetchMetrics(web.origin)).get('tow_check_up{check="queue"}')).to.equal(0);
  const report = await deployment.runTow('doctor').catch(String);
  expect(report).to.include(`${FULL}. Read docs/guides/redis.md.`);

  writer.launch();
  const countJobs = () => redis.countJobs('wait', 'active');
  await eventually('the writer to run all jobs', async () => (await countJobs()) === 0, 60_000);
  await waitForQueueCheck(web, FULL);
  await redis.freeMemory();
  await reportPause('memory freed', load);
  await waitForQueueCheck(web, undefined);
}

if (IS_SCALED) {
  describe(`Redis with a cut file or full memory${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(180_000);

    before(function () {
      if (missing) this.skip();
    });

    it('no acknowledged write is lost or doubled when the file lost its end, and while the memory is full', async () => {
      const redis = new AppendingRedis();
      await runUnderLoad(
        async (deployment, load) => {
          await loseEndOfFile(redis, load);
          await load.waitForCalls();
          await fillMemory(redis, deployment, load);
        },
        { settings: SETTINGS, startRedis: () => redis.start() },
      );
    });

    it('a worker asks about once a second while Redis refuses to give it a job', async () => {
      const redis = await new AppendingRedis().start();
      const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
      const connection = connectRedis(locateRedis(redis.settings.REDIS_URL ?? ''), 'patient', logger);
      await redis.run('config', 'set', 'min-replicas-to-write', '1');
      const worker = new RedisWorker('writes', async () => undefined, { connection, prefix: QUEUE_PREFIX });
      try {
        const refusals: string[] = [];
        worker.on('error', ({ message }) => refusals.push(message));
        await eventually('a refusal', () => refusals.some((message) => message.startsWith('NOREPLICAS')));
        await sleep(1000);
        // Without a pause there are thousands.
        expect(refusals.length).to.be.below(20);
      } finally {
        await worker.close();
        connection.disconnect();
        await redis.stop();
      }
    });
  });
}
