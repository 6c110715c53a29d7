/**
 * Lets agents call two replicas of the MCP process, or the only process of an all-in-one
 * deployment. Keys are revoked, and replicas are stopped and killed under load.
 */
import { expect } from 'chai';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import { TestAgent } from '../support/agents/agent.js';
import { type AgentCall, AgentLoad, type AgentTenant } from '../support/agents/agent-load.js';
import { RawMcp } from '../support/agents/raw-mcp.js';
import { TestClient } from '../support/client.js';
import { issueKey } from '../support/keys.js';
import { runTotals } from '../support/load/deployed-service.js';
import { type DeployedTenant, Deployment, SECRET_KEY } from '../support/load/deployment.js';
import { countPending } from '../support/load/load-invariants.js';
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
      await expectNothingLost(deployment, load);
    }));
});

/** Creates an agent key and a work order for each tenant. */
async function addAgents(deployment: Deployment, tenants: DeployedTenant[]): Promise<AgentTenant[]> {
  const store = { db: await deployment.db(), config: { secretKey: SECRET_KEY } };
  return Promise.all(
    tenants.map(async ({ id }) => {
      const key = await issueKey(store, id, { kind: 'agent', scopes: [...AGENT_SCOPES] });
      const agent = await TestAgent.connect(deployment.mcps[0]?.origin ?? '', key);
      const workOrder = await agent.callOk('create_work_order', { service_type: 'light_duty_tow' });
      await agent.client.close();
      return { id, key, workOrderId: workOrder.id as string };
    }),
  );
}

/**
 * Asserts that every call got a response in the end, and that each write exists once with one audit
 * entry. No other record may exist, and the audit log must contain every read.
 */
async function expectNothingLost(deployment: Deployment, { calls }: AgentLoad): Promise<void> {
  const failed = calls
    .filter(({ result }) => !result)
    .map(({ tool, sent, refusal }) => ({ tool, sent, refusal }));
  expect(failed, 'calls that failed despite retries').to.deep.equal([]);
  const db = await deployment.db();
  const ids = [...new Set(calls.map(({ tenant }) => tenant.id))];
  const read = <Row>(text: string) => db.transaction(ids, (tx: Transaction) => tx.query<Row>({ text }));
  await eventually(
    'no operation to be pending',
    async () => (await db.transaction(ids, countPending)) === 0,
    60_000,
  );
  const firstWorkOrderIds = new Set(calls.map(({ tenant }) => tenant.workOrderId));
  const WRITES = [
    { tool: 'create_work_order', table: 'work_orders', action: 'work_order.created' },
    { tool: 'create_invoice_draft', table: 'invoices', action: 'invoice.created' },
  ];
  for (const { tool, table, action } of WRITES) {
    const reportedIds = sortIds(calls.filter((call) => call.tool === tool));
    const stored = (await read<{ id: string }>(`select id from ${table}`)).map(({ id }) => id);
    expect(stored.filter((id) => !firstWorkOrderIds.has(id)).sort(), table).to.deep.equal(reportedIds);
    const auditEntries = await read<{ id: string; made: number }>(
      `select entity_id as id, count(*) filter (where response_status = 201)::int as made from audit_entries
       where action = '${action}' and outcome = 'ok' group by 1`,
    );
    expect(
      auditEntries
        .map(({ id }) => id)
        .filter((id) => !firstWorkOrderIds.has(id))
        .sort(),
      action,
    ).to.deep.equal(reportedIds);
    expect(
      auditEntries.filter(({ made }) => made !== 1),
      `${action} more than once`,
    ).to.deep.equal([]);
  }
  const reads = calls.filter(({ args }) => args.idempotency_key === undefined).length;
  const [entries] = await read<{ count: number }>(
    "select count(*)::int as count from audit_entries where action in ('invoice.listed', 'work_order.read') and outcome = 'ok'",
  );
  expect(entries?.count, 'reads in the audit log').to.be.at.least(reads);
  runTotals.acknowledged += calls.length;
  runTotals.retried += calls.filter(({ sent }) => sent > 1).length;
}

/** Returns the ids that agents received, sorted. Repeated ids are kept. */
function sortIds(calls: AgentCall[]): string[] {
  return calls.map(({ result }) => result.id as string).sort();
}
