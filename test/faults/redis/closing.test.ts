/** Closing a worker takes no longer, whatever Redis does at that moment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { expect } from 'chai';
import { readRedisLocation } from '../../../shared/config/redis/redis-settings.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { connectRedis, QUEUE_PREFIX, type RedisClient } from '../../../shared/platform/process/redis.js';
import { eventually } from '../../support/poll.js';
import {
  countWaiting,
  findMissingProgram,
  killServer,
  type RedisServer,
  runRedisCli,
  startRedisServer,
} from '../../support/redis/programs.js';
import { RedisCluster } from '../../support/redis/topologies/cluster.js';
import { getFreePort, IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('redis-server', 'redis-cli');
/** They close at different moments, because a client follows the move 50 ms after the reply. */
const WORKERS = 20;
const CLOSE_EVERY_MS = 4;
const KEYS = 6000;
/** 10 ms per key make Redis load for a minute. */
const SLOW_LOADING = ['--key-load-delay', '10000', '--loading-process-events-interval-bytes', '1024'];

if (IS_SCALED) {
  describe(`Closing a worker of Redis${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(30_000);

    const connections: RedisClient[] = [];
    const servers: RedisServer[] = [];
    let folder: string;

    before(function () {
      if (missing) this.skip();
    });

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'tow-redis-'));
    });

    afterEach(async () => {
      for (const connection of connections.splice(0)) connection.disconnect();
      for (const server of servers.splice(0)) await killServer(server);
      rmSync(folder, { recursive: true, force: true });
    });

    async function openWorker(settings: Record<string, string>): Promise<Worker> {
      const location = readRedisLocation(settings);
      if (!location) throw new Error('no location');
      const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
      const connection = connectRedis(location, 'patient', logger);
      connections.push(connection);
      const worker = new Worker('closing', async () => undefined, { prefix: QUEUE_PREFIX, connection });
      worker.on('error', () => undefined);
      await worker.waitUntilReady();
      return worker;
    }

    async function startServer(port: number, args: string[] = []): Promise<RedisServer> {
      const server = await startRedisServer({
        port,
        args: ['--port', `${port}`, '--dir', folder, ...args],
        ready: args.length > 0 ? 'LOADING' : 'PONG',
      });
      servers.push(server);
      return server;
    }

    async function openWaitingWorker(port: number): Promise<Worker> {
      const worker = await openWorker({ REDIS_URL: `redis://127.0.0.1:${port}` });
      await eventually(
        'the worker waits for a job',
        async () => (await countWaiting(['-p', `${port}`])) === 1,
      );
      return worker;
    }

    it('a worker whose Redis is gone', async () => {
      const port = await getFreePort();
      const server = await startServer(port);
      const worker = await openWaitingWorker(port);
      await killServer(server);
      await eventually('its clients wait to try again', () => connections[0]?.status === 'reconnecting');
      await worker.close();
    });

    it('a worker whose Redis went away and is loading its data', async () => {
      const port = await getFreePort();
      const server = await startServer(port);
      const worker = await openWaitingWorker(port);
      const cli = ['-p', `${port}`];
      await runRedisCli([...cli, 'eval', `for i = 1, ${KEYS} do redis.call('set', i, i) end`, '0']);
      expect(await runRedisCli([...cli, 'save'])).to.equal('OK');
      await killServer(server);
      await startServer(port, SLOW_LOADING);
      await eventually('its client to reach Redis', () => connections[0]?.status === 'connect');
      await worker.close();
    });

    it('workers whose jobs move to another node of a cluster', async () => {
      const cluster = new RedisCluster();
      try {
        const { settings } = await cluster.start();
        const workers = await Promise.all(Array.from({ length: WORKERS }, () => openWorker(settings)));
        const waitForAll = () =>
          eventually('all to wait for a job', async () => (await cluster.countWaiting()) === WORKERS);
        await waitForAll();
        // Afterwards the clients have connections to two nodes.
        await cluster.moveQueues();
        await waitForAll();
        await cluster.moveQueues();
        const closed = workers.map(async (worker, nth) => {
          await sleep(nth * CLOSE_EVERY_MS);
          await worker.close();
        });
        await Promise.all(closed);
      } finally {
        await cluster.stop();
      }
    });
  });
}
