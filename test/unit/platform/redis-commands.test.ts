import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createLogger } from '../../../shared/platform/logger.js';
import { connectRedis } from '../../../shared/platform/process/redis.js';
import { REDIS_TIMEOUT_MS, RedisTimeoutError } from '../../../shared/platform/process/redis-clients.js';
import { locateRedis } from '../../support/redis/locate.js';
import type { RedisServer } from '../../support/redis/programs.js';
import { IS_SCALED, startRedis } from '../../support/stores.js';

if (IS_SCALED) {
  describe('commands to Redis', () => {
    let server: RedisServer;
    let redis: Redis;

    before(async () => {
      server = await startRedis();
      const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
      redis = connectRedis(locateRedis(`redis://127.0.0.1:${server.port}`), 'fast', logger) as Redis;
      await new Promise((ready) => redis.once('ready', ready));
    });
    after(() => {
      redis.disconnect();
      server.process.kill('SIGKILL');
    });

    const catchFailure = (reply: Promise<unknown>) =>
      reply.then(
        () => undefined,
        (error: Error) => error,
      );

    it('a pause of this process does not count if the reply arrived during the pause', async () => {
      const replies = [redis.ping(), redis.get('nothing'), redis.multi().incr('count').exec()];
      blockEventLoop(2 * REDIS_TIMEOUT_MS);
      expect(await Promise.all(replies)).to.deep.equal(['PONG', null, [[null, 1]]]);
    });

    it('consecutive pauses of this process do not count', async () => {
      const replies: Promise<unknown>[] = [];
      for (let nth = 0; nth < 3; nth += 1) {
        replies.push(redis.ping());
        await new Promise(setImmediate);
        blockEventLoop(2 * REDIS_TIMEOUT_MS);
      }
      expect(await Promise.all(replies)).to.deep.equal(['PONG', 'PONG', 'PONG']);
    });

    it('a Redis that does not reply causes a timeout, also in a pipeline and a transaction', async () => {
      server.process.kill('SIGSTOP');
      const failures = await Promise.all([
        catchFailure(redis.ping()),
        catchFailure(redis.multi().incr('count').exec()),
        redis.pipeline().get('count').exec(),
      ]);
      server.process.kill('SIGCONT');
      expect(failures[0]).to.be.instanceOf(RedisTimeoutError);
      expect(failures[1]).to.be.instanceOf(RedisTimeoutError);
      expect(failures[2]?.[0]?.[0]).to.be.instanceOf(RedisTimeoutError);
    });

    it('no timer remains after the reply', async () => {
      const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      await redis.ping();
      const before = timers();
      await Promise.all(Array.from({ length: 50 }, () => redis.ping()));
      expect(timers()).to.equal(before);
    });

    it('the commands of one tick are written together, and later ones are not held back', async () => {
      const written: number[] = [];
      const { stream } = redis;
      const writev = stream._writev as NonNullable<typeof stream._writev>;
      const write = stream._write;
      stream._writev = function (chunks, done) {
        written.push(chunks.length);
        writev.call(this, chunks, done);
      };
      stream._write = function (...chunk) {
        written.push(1);
        write.call(this, ...chunk);
      };
      await Promise.all([redis.ping(), redis.get('nothing'), redis.incr('count')]);
      await redis.ping();
      stream._writev = writev;
      stream._write = write;
      expect(written).to.deep.equal([3, 1]);
    });
  });
}

/** Blocks the event loop, as garbage collection or a busy machine would. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
