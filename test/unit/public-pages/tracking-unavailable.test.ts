import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { serveTrackingPages } from '../../../api/public/tracking/tracking-pages.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLimiter } from '../../../shared/platform/limits/limiter.js';
import { deriveLinkKeys, sealTrackingLink } from '../../../shared/resources/work-order-links/link.js';

type Api = Parameters<typeof serveTrackingPages>[0];

const config = { secretKey: 'a secret for this test' } as Api['config'];
const token = sealTrackingLink(deriveLinkKeys(config), { tenantId: newId(), workOrderId: newId() });

/** Serves the tracking pages of a database whose reads fail, and runs `test` with their origin. */
async function withFailingDatabase(error: Error, test: (origin: string) => Promise<void>): Promise<void> {
  const read = () => Promise.reject(error);
  const logger = { warn: () => undefined };
  const api = { config, db: { read }, limiter: createLimiter(undefined), logger } as unknown as Api;
  const app = new Koa();
  app.silent = true;
  app.use(serveTrackingPages(api) as Koa.Middleware);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('tracking page without PostgreSQL', () => {
  it('the page and its state say that they are not available, for people, and when to try again', async () => {
    const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    await withFailingDatabase(lost, async (origin) => {
      for (const part of ['', '/state', '/logo']) {
        const response = await fetch(`${origin}/t/${token}${part}`);
        expect(response.status, part).to.equal(503);
        expect(response.headers.get('retry-after')).to.equal('5');
        expect(response.headers.get('cache-control')).to.equal('no-store');
        expect(await response.text()).to.include('Not available right now');
      }
    });
  });

  it('an error of the service itself is not hidden as a short outage', async () => {
    await withFailingDatabase(new Error('column does not exist'), async (origin) => {
      expect((await fetch(`${origin}/t/${token}`)).status).to.equal(500);
    });
  });
});
