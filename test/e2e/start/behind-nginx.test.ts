/** Runs the nginx configuration of docs/deploy in front of real web and mcp processes. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { TestClient } from '../../support/client.js';
import { Deployment } from '../../support/load/deployment.js';
import { startNginx } from '../../support/load/nginx.js';
import { fetchStatus } from '../../support/load/processes.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('nginx');

if (IS_SCALED) {
  describe(`the nginx configuration of docs/deploy${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(180_000);

    before(function () {
      if (missing) this.skip();
    });

    it('nginx routes /mcp to the MCP server and the rest but metrics and readiness to web, does not buffer events, and offers TLS', () =>
      Deployment.run({ mcps: 1, settings: { TRUST_PROXY: 'true' } }, async (deployment) => {
        await deployment.start();
        const nginx = await startNginx(deployment);
        const { origin, tlsOrigin, redirectingOrigin, caFile, stop } = nginx;
        const [tenant] = await deployment.createTenants(1);
        const manifest = await fetch(`${origin}/mcp/manifest`);
        expect(await manifest.json()).to.have.property('schemaVersion');
        expect(await fetchStatus(`${origin}/docs`)).to.equal(200);
        for (const path of ['/metrics', '/readyz', '//metrics', '/%6detrics', '/readyz?a=1'])
          expect((await request(`${origin}${path}`)).statusCode, path).to.equal(404);

        const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } });
        const encrypted = await request(`${tlsOrigin}/healthz`, { dispatcher });
        await dispatcher.destroy();
        expect(encrypted.statusCode).to.equal(200);
        const moved = await fetch(`${redirectingOrigin}/app/?a=1`, { redirect: 'manual' });
        expect([moved.status, moved.headers.get('location')]).to.deep.equal([
          301,
          'https://api.example.com/app/?a=1',
        ]);

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
