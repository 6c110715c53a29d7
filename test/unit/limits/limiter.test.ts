import { expect } from 'chai';
import { createLimiter, type Limiter, type RateDecision } from '../../../shared/platform/limits/limiter.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { connectRedis, type RedisClient } from '../../../shared/platform/process/redis.js';
import { locateRedis } from '../../support/redis/locate.js';
import type { RedisServer } from '../../support/redis/programs.js';
import { IS_SCALED, startRedis } from '../../support/stores.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const limits = { minute: 3, hour: 5 };

async function consumeMany(limiter: Limiter, key: string, count: number): Promise<RateDecision[]> {
  const decisions: RateDecision[] = [];
  for (let i = 0; i < count; i += 1) decisions.push(await limiter.consume(key, limits));
  return decisions;
}

const verdicts = (decisions: RateDecision[]) => decisions.map((decision) => decision.allowed);

/**
 * Defines the tests that a limiter must pass, in process memory as well as in Redis. Each test uses
 * separate keys.
 */
function behavesAsLimiter(open: () => Limiter): void {
  it('requests up to the limit are allowed and all later ones refused', async () => {
    const decisions = await consumeMany(open(), 'over', 12);
    expect(verdicts(decisions)).to.deep.equal([true, true, true, ...Array(9).fill(false)]);
    for (const { windows } of decisions.slice(3)) {
      expect(windows.find((state) => state.window === 'minute')?.remaining).to.equal(-1);
    }
  });

  it('consumeUnlessRefused does not count requests against the hour that the minute refuses', async () => {
    const limiter = open();
    const decisions: RateDecision[] = [];
    for (let nth = 0; nth < 12; nth += 1)
      decisions.push(await limiter.consumeUnlessRefused('spared', limits));
    expect(verdicts(decisions)).to.deep.equal([true, true, true, ...Array(9).fill(false)]);
    const hour = async () => (await limiter.consume('spared', limits)).windows[1]?.remaining;
    expect([await hour(), await hour(), await hour()]).to.deep.equal([1, 0, -1]);
  });

  it('each request counts in both windows, with the seconds until each restarts', async () => {
    const [first, second] = await consumeMany(open(), 'down', 2);
    const remaining = (decision: RateDecision | undefined) =>
      decision?.windows.map((state) => state.remaining);
    expect(remaining(first)).to.deep.equal([2, 4]);
    expect(remaining(second)).to.deep.equal([1, 3]);
    for (const { window, limit, resetSeconds } of first?.windows ?? []) {
      expect(limit).to.equal(limits[window]);
      expect(resetSeconds).to.be.within(1, window === 'minute' ? 60 : 3600);
      expect(Number.isInteger(resetSeconds)).to.equal(true);
    }
  });

  it('the hour limit refuses requests that the minute limit would allow', async () => {
    const limiter = open();
    const looseMinute = { minute: 100, hour: 2 };
    const decisions = [];
    for (let i = 0; i < 6; i += 1) decisions.push(await limiter.consume('hour', looseMinute));
    expect(verdicts(decisions)).to.deep.equal([true, true, false, false, false, false]);
  });

  it('each key has its own count', async () => {
    const limiter = open();
    await consumeMany(limiter, 'noisy', 6);
    expect((await limiter.consume('quiet', limits)).allowed).to.equal(true);
  });

  it('concurrent requests are counted exactly', async () => {
    const limiter = open();
    const decisions = await Promise.all(Array.from({ length: 20 }, () => limiter.consume('burst', limits)));
    expect(decisions.filter((decision) => decision.allowed)).to.have.length(3);
  });

  it('each address may send a limited number of wrong credentials', async () => {
    const limiter = open();
    const allowed = [];
    for (let i = 0; i < 8; i += 1) allowed.push(await limiter.consumeBadCredential('192.0.2.1', 4));
    expect(allowed).to.deep.equal([true, true, true, true, false, false, false, false]);
    expect(await limiter.consumeBadCredential('192.0.2.2', 4)).to.equal(true);
  });
}

describe('rate limiter in process memory', () => {
  behavesAsLimiter(() => createLimiter(undefined));
});

if (IS_SCALED) {
  describe('rate limiter in Redis', () => {
    let server: RedisServer;
    const connections: RedisClient[] = [];
    const connect = () => {
      const redis = connectRedis(locateRedis(`redis://127.0.0.1:${server.port}`), 'fast', logger);
      connections.push(redis);
      return redis;
    };

    before(async () => {
      server = await startRedis();
      connect();
      connect();
      await Promise.all(
        connections.map(
          (redis) => redis.status === 'ready' || new Promise((ready) => redis.once('ready', ready)),
        ),
      );
    });
    beforeEach(() => connections[0]?.flushall());
    after(() => {
      for (const redis of connections) redis.disconnect();
      server.process.kill('SIGKILL');
    });

    behavesAsLimiter(() => createLimiter(connections[0]));

    it('requests of two processes count together', async () => {
      const [one, other] = connections.map((redis) => createLimiter(redis)) as [Limiter, Limiter];
      const decisions = [];
      for (let i = 0; i < 4; i += 1)
        decisions.push(await one.consume('shared', limits), await other.consume('shared', limits));
      expect(decisions.filter((decision) => decision.allowed)).to.have.length(3);
    });

    it('the limiter counts in process memory while Redis is unreachable', async () => {
      const limiter = createLimiter(connections[0]);
      server.process.kill('SIGKILL');
      expect(verdicts(await consumeMany(limiter, 'away', 5))).to.deep.equal([true, true, true, false, false]);
    });
  });
}
