/** Prepares the load of agents, and checks afterwards that the stores agree with their results. */
import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { issueKey } from '../keys.js';
import { runTotals } from '../load/deployed-service.js';
import { type DeployedTenant, type Deployment, SECRET_KEY } from '../load/deployment.js';
import { countPending } from '../load/load-invariants.js';
import { eventually } from '../poll.js';
import { TestAgent } from './agent.js';
import type { AgentCall, AgentLoad, AgentTenant } from './agent-load.js';

/** Creates an agent key and a work order for each tenant. */
export async function addAgents(deployment: Deployment, tenants: DeployedTenant[]): Promise<AgentTenant[]> {
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
export async function expectNoCallLost(deployment: Deployment, { calls }: AgentLoad): Promise<void> {
  const failed = calls
    .filter(({ result }) => !result)
    .map(({ tool, sent, refusal }) => ({ tool, sent, refusal }));
  expect(failed, `calls that failed despite retries: ${JSON.stringify(failed.slice(0, 3))}`).to.deep.equal(
    [],
  );
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
