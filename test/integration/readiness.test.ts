import { once } from 'node:events';
import { expect } from 'chai';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import { IS_SCALED, type RedisServer, startRedis } from '../support/stores.js';

interface Readiness {
  status: number;
  body: { ok: boolean; degraded: boolean; checks: Record<string, { ok: boolean; error?: string }> };
}

async function readinessOf({ origin }: TestStack): Promise<Readiness> {
  const answer = await fetch(`${origin}/readyz`);
  return { status: answer.status, body: (await answer.json()) as Readiness['body'] };
}

const READY = { ok: true, degraded: false };
const DEGRADED = { ok: true, degraded: true };

describe('/readyz while only writes are impossible', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  describe('because the queue is away', () => {
    let redis: RedisServer | undefined;

    before(async () => {
      redis = IS_SCALED ? await startRedis() : undefined;
      const environment = redis ? { REDIS_URL: `redis://127.0.0.1:${redis.port}` } : {};
      stack = await TestStack.start({ environment, clock: false });
      tenant = await stack.createTenant();
    });
    after(async () => {
      await stack.stop();
      redis?.process.kill('SIGKILL');
    });

    const takeAway = async (): Promise<void> => {
      if (!redis) return stack.asOwner('alter table bullmq.job rename to job_elsewhere');
      redis.process.kill('SIGKILL');
      await once(redis.process, 'exit');
    };
    const giveBack = async (): Promise<void> => {
      if (!redis) return stack.asOwner('alter table bullmq.job_elsewhere rename to job');
      redis = await startRedis(redis.port);
    };

    it('is 200 and degraded, says why, and is whole again by itself', async () => {
      const before = await readinessOf(stack);
      expect(before.status).to.equal(200);
      expect(before.body).to.include(READY);
      await takeAway();
      const during = await eventually('a failed check', async () => {
        const found = await readinessOf(stack);
        return !found.body.checks.queue?.ok && found;
      });
      const read = await tenant.client.get('/invoices');
      await giveBack();
      expect(during.status).to.equal(200);
      expect(during.body).to.include(DEGRADED);
      expect(during.body.checks.queue?.error).to.match(/^(cannot be reached|failed \(42P01\)$)/);
      expect(during.body.checks.postgres).to.include({ ok: true });
      expect(read.status).to.equal(200);
      await eventually('its recovery', async () => (await readinessOf(stack)).body.degraded === false);
    });
  });

  describe('because no worker commits', () => {
    before(async () => {
      stack = await TestStack.start({
        worker: false,
        clock: false,
        environment: { WRITE_TIMEOUT_MS: '200' },
      });
    });
    after(() => stack.stop());

    it('is 200 and degraded once the canary did not come back', async () => {
      expect((await readinessOf(stack)).body).to.include(READY);
      const found = await eventually('a missed canary', async () => {
        const readiness = await readinessOf(stack);
        return readiness.body.degraded && readiness;
      });
      expect(found.status).to.equal(200);
      expect(found.body.checks.writes).to.include({
        ok: false,
        error: 'the last test write was not committed; see the writes workers',
      });
      expect(found.body.checks.queue).to.include({ ok: true });
    });
  });
});
