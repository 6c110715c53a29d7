import { once } from 'node:events';
import { expect } from 'chai';
import { addQueueGauges } from '../../../shared/queues/gauges.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { eventually } from '../../support/poll.js';
import type { RedisServer } from '../../support/redis/programs.js';
import { TestStack, type TestTenant } from '../../support/stack.js';
import { IS_SCALED, startRedis } from '../../support/stores.js';
import { DEGRADED, READY, readReadiness } from './readiness-response.js';

describe('GET /readyz while the queue is unreachable', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let redis: RedisServer | undefined;

  before(async () => {
    redis = IS_SCALED ? await startRedis() : undefined;
    const environment = redis ? { REDIS_URL: `redis://127.0.0.1:${redis.port}` } : {};
    stack = await TestStack.start({ environment });
    tenant = await stack.createTenant();
  });
  after(async () => {
    await stack.stop();
    redis?.process.kill('SIGKILL');
  });

  const stopQueue = async (): Promise<void> => {
    if (!redis) return stack.runAsOwner('alter table bullmq.job rename to job_elsewhere');
    redis.process.kill('SIGKILL');
    await once(redis.process, 'exit');
  };
  const restoreQueue = async (): Promise<void> => {
    if (!redis) return stack.runAsOwner('alter table bullmq.job_elsewhere rename to job');
    redis = await startRedis(redis.port);
  };

  it('GET /readyz is 200 and degraded with the cause while the queue is unreachable, and recovers', async () => {
    const before = await readReadiness(stack);
    expect(before.status).to.equal(200);
    expect(before.body).to.include(READY);
    await stopQueue();
    const during = await eventually('a failed check', async () => {
      const found = await readReadiness(stack);
      return !found.body.checks.queue?.ok && found;
    });
    const read = await tenant.client.get('/invoices');
    await restoreQueue();
    expect(during.status).to.equal(200);
    expect(during.body).to.include(DEGRADED);
    expect(during.body.checks.queue?.error).to.match(/^(cannot be reached|failed \(42P01\)$)/);
    expect(during.body.checks.postgres).to.include({ ok: true });
    expect(read.status).to.equal(200);
    await eventually('the recovery', async () => (await readReadiness(stack)).body.degraded === false);
  });

  it('GET /metrics names the unreachable queue, omits its gauges and keeps all others', async () => {
    addQueueGauges(stack.runtime, openWritesQueue(stack.runtime));
    const readMetrics = async () => {
      const response = await fetch(`${stack.origin}/metrics`);
      return `${response.status}\n${await response.text()}`;
    };
    expect(await readMetrics()).to.match(/^tow_queue_jobs\{queue="writes",state="waiting"\} 0$/m);
    await stopQueue();
    const during = await eventually('a failed check', async () => {
      const page = await readMetrics();
      return page.includes('tow_check_up{check="queue"} 0') && page;
    });
    await restoreQueue();
    expect(during.split('\n')[0]).to.equal('200');
    expect(during).to.include('tow_check_up{check="postgres"} 1');
    expect(during).to.match(/^tow_postgres_connections\{state="\w+"\} \d+$/m);
    expect(during).to.not.match(/^tow_queue_jobs\{/m);
    await eventually('the gauges again', async () => /^tow_queue_jobs\{/m.test(await readMetrics()));
  });
});
