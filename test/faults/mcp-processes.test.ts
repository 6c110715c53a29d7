/**
 * Lets agents call two replicas of the MCP process, or the only process of an all-in-one
 * deployment. Keys are revoked, and replicas are stopped and killed under load.
 */
import { expect } from 'chai';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { AgentLoad } from '../support/agents/agent-load.js';
import { addAgents, expectNoCallLost } from '../support/agents/agent-load-invariants.js';
import { RawMcp } from '../support/agents/raw-mcp.js';
import { TestClient } from '../support/client.js';
import { type DeployedTenant, Deployment } from '../support/load/deployment.js';
import { eventually } from '../support/poll.js';

const CLEAN_END = { code: 0, signal: null };
const OPTIONS = { mcps: 2, settings: { WRITE_TIMEOUT_MS: '3000' } };

/** Sends a ping with the key, and resolves with the HTTP status: 200 or 401. */
async function fetchPingStatus(origin: string, key: string): Promise<number> {
  const { status } = await new RawMcp(origin, key).request('ping');
  return status;
}

describe('the MCP processes', function () {
  this.timeout(240_000);

  it('every MCP replica accepts a new key immediately and refuses a revoked or rolled one within seconds', () =>
    Deployment.run(OPTIONS, async (deployment) => {
      await deployment.start();
      const [tenant] = (await deployment.createTenants(1)) as [DeployedTenant];
      const client = new TestClient(deployment.web.origin, tenant.key);
      const fetchStatuses = (key: string) =>
        Promise.all(deployment.mcps.map(({ origin }) => fetchPingStatus(origin, key)));
      const repeatStatus = (status: number) => deployment.mcps.map(() => status);
      const waitUntilRefused = (key: string) =>
        eventually(
          '401 from every replica',
          async () => (await fetchStatuses(key)).every((one) => one === 401),
          6000,
        );
      const createKey = async () =>
        (await client.post('/agent-keys', { name: 'Agent', scopes: AGENT_SCOPES })).body as {
          id: string;
          key: string;
        };

      const revoked = await createKey();
      expect(await fetchStatuses(revoked.key)).to.deep.equal(repeatStatus(200));
      expect((await client.delete(`/agent-keys/${revoked.id}`)).status).to.equal(200);
      await waitUntilRefused(revoked.key);

      const rolled = await createKey();
      expect(await fetchStatuses(rolled.key)).to.deep.equal(repeatStatus(200));
      const next = await client.post(`/agent-keys/${rolled.id}/roll`, { overlap_hours: 0 });
      expect(await fetchStatuses(next.body.key)).to.deep.equal(repeatStatus(200));
      await waitUntilRefused(rolled.key);

      // `tow` writes only to the database, so no broadcast informs the processes about this key.
      const scopes = AGENT_SCOPES.join(',');
      const made = await deployment.runTow<{ id: string; key: string }>(
        'keys',
        'create',
        '--tenant',
        tenant.id,
        '--name',
        'By tow',
        '--agent',
        '--scopes',
        scopes,
      );
      expect(await fetchStatuses(made.key)).to.deep.equal(repeatStatus(200));
      await deployment.runTow('keys', 'revoke', '--tenant', tenant.id, made.id);
      await waitUntilRefused(made.key);
    }));

  it('no agent call is lost or doubled while MCP replicas are repeatedly stopped and killed', () =>
    Deployment.run(OPTIONS, async (deployment) => {
      await deployment.start();
      const tenants = await addAgents(deployment, await deployment.createTenants(2));
      const origins = deployment.mcps.map(({ origin }) => origin);
      const load = await new AgentLoad(origins, tenants).start();
      try {
        await load.waitForCalls();
        for (const service of [...deployment.mcps, ...deployment.mcps]) {
          expect(await service.stop('SIGTERM'), service.process?.output).to.deep.equal(CLEAN_END);
          await service.start();
          await load.waitForCalls();
          await service.kill();
          await service.start();
          await load.waitForCalls();
        }
      } finally {
        await load.stop();
      }
      await expectNoCallLost(deployment, load);
    }));
});
