import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createLogger } from '../../shared/platform/logger.js';
import { connectRedis, REDIS_BUDGET_MS, RedisTimeoutError } from '../../shared/platform/redis.js';
import { IS_SCALED, type RedisServer, startRedis } from '../support/stores.js';

if (IS_SCALED) {
  describe('the budget of a Redis command', () => {
    let server: RedisServer;
    let redis: Redis;

    before(async () => {
      server = await startRedis();
      const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
      redis = connectRedis(`redis://127.0.0.1:${server.port}`, 'fast', logger);
      await new Promise((ready) => redis.once('ready', ready));
    });
    after(() => {
      redis.disconnect();
      server.process.kill('SIGKILL');
    });

    const failureOf = (answer: Promise<unknown>) =>
      answer.then(
        () => undefined,
        (error: Error) => error,
      );

    it('is not spent by a pause of this process, during which the answer arrived', async () => {
      const answers = [redis.ping(), redis.get('nothing'), redis.multi().incr('count').exec()];
      standStillFor(2 * REDIS_BUDGET_MS);
      expect(await Promise.all(answers)).to.deep.equal(['PONG', null, [[null, 1]]]);
    });

    it('is not spent by pauses that come one after the other', async () => {
      const answers: Promise<unknown>[] = [];
      for (let nth = 0; nth < 3; nth += 1) {
        answers.push(redis.ping());
        await new Promise(setImmediate);
        standStillFor(2 * REDIS_BUDGET_MS);
      }
      expect(await Promise.all(answers)).to.deep.equal(['PONG', 'PONG', 'PONG']);
    });

    it('ends the wait for a Redis that does not answer, also within a pipeline and a transaction', async () => {
      server.process.kill('SIGSTOP');
      const failures = await Promise.all([
        failureOf(redis.ping()),
        failureOf(redis.multi().incr('count').exec()),
        redis.pipeline().get('count').exec(),
      ]);
      server.process.kill('SIGCONT');
      expect(failures[0]).to.be.instanceOf(RedisTimeoutError);
      expect(failures[1]).to.be.instanceOf(RedisTimeoutError);
      expect(failures[2]?.[0]?.[0]).to.be.instanceOf(RedisTimeoutError);
    });

    it('leaves no timer behind once the answer is there', async () => {
      const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      await redis.ping();
      const before = timers();
      await Promise.all(Array.from({ length: 50 }, () => redis.ping()));
      expect(timers()).to.equal(before);
    });
  });
}

/** Holds the event loop, as a collection or a busy machine does. */
function standStillFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
