/** Checks how a process that shuts down looks to a load balancer. */
import { expect } from 'chai';
import { TestClient } from '../support/client.js';
import type { DeployedService } from '../support/load/deployed-service.js';
import { Deployment } from '../support/load/deployment.js';
import { fetchStatus } from '../support/load/processes.js';
import { eventually } from '../support/poll.js';
import { IS_SCALED } from '../support/stores.js';

/** This delay is long enough for all requests of the test, even on a busy machine. */
const DELAY_MS = 4000;

if (IS_SCALED) {
  describe('SIGTERM with SHUTDOWN_DELAY_MS', function () {
    this.timeout(180_000);

    it('web and mcp respond to /readyz with 503 and serve all else until they stop listening', async () => {
      const settings = { SHUTDOWN_DELAY_MS: `${DELAY_MS}` };
      await Deployment.run({ mcps: 1, settings }, async (deployment) => {
        await deployment.start();
        const [tenant] = await deployment.createTenants(1);
        const client = new TestClient(deployment.web.origin, tenant?.key ?? '');
        const mcp = deployment.mcps[0] as DeployedService;
        const ending = [deployment.web, mcp];
        for (const { process } of ending) process?.signal('SIGTERM');
        for (const { origin } of ending)
          await eventually('503', async () => (await fetchStatus(`${origin}/readyz`)) === 503);
        const created = await client.post('/invoices', { invoice_number: 'D-1', line_items: [] });
        expect(created.status, created.text).to.equal(201);
        expect((await client.get(`/invoices/${created.body.id}`)).status).to.equal(200);
        expect(await fetchStatus(`${mcp.origin}/mcp/manifest`)).to.equal(200);
        for (const { origin } of ending) expect(await fetchStatus(`${origin}/healthz`)).to.equal(200);
        for (const { process, origin } of ending) {
          expect(await process?.waitForExit(), process?.output).to.deep.equal({ code: 0, signal: null });
          expect(await fetchStatus(`${origin}/readyz`)).to.equal(undefined);
        }
      });
    });

    it('a worker ends without waiting for SHUTDOWN_DELAY_MS', async () => {
      const settings = { SHUTDOWN_DELAY_MS: '20000' };
      await Deployment.run({ settings }, async ({ writer }) => {
        await writer.start();
        expect(await writer.process?.stop('SIGTERM', 10_000)).to.deep.equal({ code: 0, signal: null });
      });
    });
  });
}
