/** Runs the nginx configuration of the operators' guide in front of real web and mcp processes. */
import { expect } from 'chai';
import { TestClient } from '../../support/client.js';
import { Deployment } from '../../support/load/deployment.js';
import { startNginx } from '../../support/load/nginx.js';
import { fetchStatus } from '../../support/load/processes.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('nginx');

if (IS_SCALED) {
  describe(`the nginx configuration of the operators' guide${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(180_000);

    before(function () {
      if (missing) this.skip();
    });

    it('nginx routes /mcp to the MCP server and the rest to web, and does not buffer events', () =>
      Deployment.run({ mcps: 1, settings: { TRUST_PROXY: 'true' } }, async (deployment) => {
        await deployment.start();
        const { origin, stop } = await startNginx(deployment);
        const [tenant] = await deployment.createTenants(1);
        const manifest = await fetch(`${origin}/mcp/manifest`);
        expect(await manifest.json()).to.have.property('schemaVersion');
        expect(await fetchStatus(`${origin}/docs`)).to.equal(200);

        const client = new TestClient(origin, tenant?.key ?? '');
        const aborter = new AbortController();
        const stream = await fetch(`${origin}/v1/stream`, {
          headers: { Authorization: `Bearer ${tenant?.key}` },
          signal: aborter.signal,
        });
        const created = await client.post('/invoices', { invoice_number: 'N-1', line_items: [] });
        expect([stream.status, created.status]).to.deep.equal([200, 201]);
        let seen = '';
        for await (const piece of stream.body ?? []) {
          seen += Buffer.from(piece).toString();
          if (seen.includes('invoice.created')) break;
        }
        aborter.abort();
        expect(seen).to.include('event: invoice.created');
        await stop();
      }));
  });
}
