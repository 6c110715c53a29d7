import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { EventStream } from '../../failover/clients/event-stream.js';
import { Exporters } from '../../failover/clients/exporters.js';
import type { DeployedTenant } from '../../support/load/deployment.js';
import { eventually } from '../../support/poll.js';

const TENANT = { id: 't', key: 'key' } as DeployedTenant;

/** Calls `work` with the address of a server, and ends the server. */
async function withServer(listener: RequestListener, work: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('the clients of npm run failover', () => {
  it('an export that never ends counts as failed', async () => {
    const listener: RequestListener = ({ method }, response) => {
      response.writeHead(method === 'POST' ? 202 : 200);
      response.end(JSON.stringify({ id: 'x', status: 'running' }));
    };
    await withServer(listener, async (origin) => {
      const exporters = new Exporters(origin, TENANT, 1, 300).start();
      await eventually('the next export', () => exporters.calls.length > 1);
      await exporters.stop();
      expect(exporters.calls[0]).to.deep.equal({ tries: 1 });
    });
  });

  it('a stream that is stopped while it connects again ends', async () => {
    const waiting: ServerResponse[] = [];
    const listener: RequestListener = (_, response) => void waiting.push(response);
    const open = (response?: ServerResponse) => response?.writeHead(200).flushHeaders();
    await withServer(listener, async (origin) => {
      const stream = new EventStream(origin, TENANT);
      const started = stream.start();
      await eventually('the first connection', () => waiting.length === 1);
      open(waiting[0]);
      await started;
      waiting[0]?.destroy();
      await eventually('the second connection', () => waiting.length === 2);
      let hasStopped = false;
      const stopped = stream.stop().then(() => {
        hasStopped = true;
      });
      open(waiting[1]);
      await eventually('the end of the stream', () => hasStopped, 5000);
      await stopped;
    });
  });
});
