import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import { openQueue, openWorker } from '../../../shared/queues/backend.js';
import { TcpForwarder } from '../../support/network/tcp-forwarder.js';
import { eventually } from '../../support/poll.js';
import { IS_SCALED } from '../../support/stores.js';
import { useOwnStack } from '../../support/use-stack.js';

/** A worker tries twice a second. It opened 4 connections in this time, and 466 without a pause. */
const OBSERVED_MS = 2000;
const MAX_CONNECTIONS = 40;

if (!IS_SCALED) {
  describe('behind a proxy that accepts connections to PostgreSQL and closes them', function () {
    this.timeout(60_000);
    const stack = useOwnStack();
    const forwarders: TcpForwarder[] = [];
    let forwarder: TcpForwarder;
    let runtime: Runtime;
    let port: number;

    beforeEach(async () => {
      forwarder = await TcpForwarder.start();
      forwarders.push(forwarder);
      const url = new URL(stack.runtime.databaseUrl);
      port = Number(url.port);
      url.port = `${forwarder.port}`;
      runtime = { ...stack.runtime, databaseUrl: url.href };
    });
    afterEach(() => {
      // Without a target, workers could not close.
      forwarder.target = port;
    });
    after(async () => {
      for (const one of forwarders) await one.stop();
    });

    const add = (name: string) =>
      openQueue(runtime, name, { attempts: 1, removeOnFail: true })
        .add('job', {}, { jobId: newId() })
        .then(
          () => true,
          () => false,
        );

    it('a queue that opened meanwhile takes jobs as soon as PostgreSQL is reachable', async () => {
      expect(await add('late-queue')).to.equal(false);
      forwarder.target = port;
      await eventually('the queue to take a job', () => add('late-queue'));
    });

    it('a worker that opened meanwhile runs jobs as soon as PostgreSQL is reachable, and did not try without pause', async () => {
      let runs = 0;
      const run = async () => {
        runs += 1;
      };
      openWorker(runtime, 'late-worker', run, { concurrency: 1 });
      await sleep(OBSERVED_MS);
      expect(forwarder.connectionCount).to.be.within(1, MAX_CONNECTIONS);
      forwarder.target = port;
      await eventually('the queue to take a job', () => add('late-worker'));
      await eventually('the worker to run it', () => runs > 0);
    });
  });
}
