/** Runs the nginx configuration of the operators' guide in front of real web and mcp processes. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { TestClient } from '../../support/client.js';
import type { DeployedService } from '../../support/load/deployed-service.js';
import { Deployment } from '../../support/load/deployment.js';
import { fetchStatus, PROJECT } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { getFreePort, IS_SCALED } from '../../support/stores.js';

const NGINX = 'nginx';
const TEMP_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/**
 * Builds a complete nginx configuration from the server block in the guide, with other ports. With
 * this configuration, nginx writes only to `folder`.
 */
async function buildNginxConfig(folder: string, ports: Record<string, number>): Promise<string> {
  const guide = await readFile(join(PROJECT, 'docs/guides/operators.md'), 'utf8');
  let block = /```nginx\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  for (const [originalAddress, port] of Object.entries(ports))
    block = block.replace(originalAddress, originalAddress.replace(/\d+$/, `${port}`));
  const temporary = TEMP_PATHS.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const user = process.geteuid?.() === 0 ? 'user root;' : '';
  return `${user} daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary} ${block} }`;
}

const isNginxAbsent =
  spawnSync(NGINX, ['-v'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } }).status !== 0;

if (IS_SCALED) {
  describe("the nginx configuration of the operators' guide", function () {
    this.timeout(180_000);

    it('nginx routes /mcp to the MCP server and the rest to web, and does not buffer events', async function () {
      if (isNginxAbsent) {
        if (process.env.CI) throw new Error('nginx is not installed');
        return this.skip();
      }
      await Deployment.run({ mcps: 1, settings: { TRUST_PROXY: 'true' } }, async (deployment) => {
        await deployment.start();
        const mcp = deployment.mcps[0] as DeployedService;
        const port = await getFreePort();
        const folder = await deployment.processes.createFolder();
        const ports = {
          '127.0.0.1:3000': deployment.web.port,
          '127.0.0.1:3001': mcp.port,
          'listen 8080': port,
        };
        await writeFile(join(folder, 'nginx.conf'), await buildNginxConfig(folder, ports));
        const nginx = deployment.processes.start({
          command: [NGINX, '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')],
          env: { PATH: `${process.env.PATH}:/usr/sbin` },
        });
        const origin = `http://127.0.0.1:${port}`;
        await eventually('a response through nginx', async () => {
          if (nginx.end) throw new Error(nginx.output);
          return (await fetchStatus(`${origin}/readyz`)) === 200;
        });
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
        await nginx.stop('SIGQUIT');
      });
    });
  });
}
