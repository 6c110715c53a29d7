/**
 * The master of the sentinels hangs while clients write. In `npm run failover`, which
 * test/faults/patroni/all-clients.test.ts runs, it dies.
 */
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { readRedisLocation } from '../../../shared/config/redis/redis-settings.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { connectRedis } from '../../../shared/platform/process/redis.js';
import { reportPause } from '../../support/load/report-pause.js';
import { restartWriter, runUnderLoad } from '../../support/load/run-load.js';
import { eventually } from '../../support/poll.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { SentinelSet } from '../../support/redis/topologies/sentinels.js';
import { IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('redis-server', 'redis-sentinel');
/** Shorter than the default, so that writes which lost their job become operations soon. */
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };

if (IS_SCALED) {
  describe(`Redis behind sentinels${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(180_000);

    before(function () {
      if (missing) this.skip();
    });

    it('clients connect again if a failover is announced while they look for the master', async () => {
      const sentinels = new SentinelSet();
      const clients: Redis[] = [];
      try {
        const location = readRedisLocation((await sentinels.start()).settings);
        if (!location) throw new Error('no location');
        const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
        const connected = connectRedis(location, 'patient', logger) as Redis;
        clients.push(connected, connected.duplicate());
        for (const client of clients) {
          client.on('error', () => undefined);
          await client.subscribe('tow:test');
          // What ioredis does when a sentinel announces a failover.
          const { connector } = client as unknown as { connector: { disconnect: () => void } };
          client.once('connecting', () => connector.disconnect());
          // `once` of node:events would reject with the error before the end.
          const ended = new Promise((end) => client.once('end', end));
          client.disconnect(true);
          await ended;
        }
        const publisher = clients[0]?.duplicate() as Redis;
        const receivers = new Set<Redis>();
        for (const client of clients) client.on('message', () => receivers.add(client));
        clients.push(publisher);
        await eventually(
          'both clients to be subscribed again',
          async () => (await publisher.publish('tow:test', 'hello')) === 2,
        );
        await eventually('both to receive it', () => receivers.size === 2);
      } finally {
        for (const client of clients) client.disconnect();
        await sentinels.stop();
      }
    });

    it('no acknowledged write is lost or doubled when the master hangs', async () => {
      const sentinels = new SentinelSet();
      await runUnderLoad(
        async (deployment, load) => {
          const hanging = await sentinels.findMaster();
          // A stopped process keeps its connections open, as a machine without network does.
          hanging.process.kill('SIGSTOP');
          await reportPause('master hangs', load);
          await load.waitForCalls();
          hanging.process.kill('SIGCONT');
          await restartWriter(deployment);
          expect(await sentinels.listDenials()).to.deep.equal([]);
        },
        { settings: SETTINGS, startRedis: () => sentinels.start() },
      );
    });
  });
}
