import type { Actor, Command } from '../contracts/command.js';
import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql, toRecordRef } from './record-refs.js';

/**
 * Returns the conflict keys of a write by this actor. Two writes with the same key do not run
 * concurrently. Only the writes of agents have such a key. An agent's writes add up towards the
 * approval threshold, so each write must see what the earlier writes drafted.
 */
export function agentConflictKeys(actor: Actor): string[] {
  return actor.type === 'agent' ? [`agent:${actor.id}`] : [];
}

const COUNTED_TYPES = ['invoice.create', 'invoice.draft', 'invoice.update'];
const DECISION_TYPE = 'approval.approve';

/**
 * Locks the agent of each write that counts towards the approval threshold, so that the write sees
 * what the agent's previous write drafted. An approval locks the agent too, because approving an
 * agent's request creates a draft of that agent. To avoid deadlocks, each transaction takes these
 * locks before all other locks, sorted by key. A batch without agent writes and approvals runs no
 * query.
 */
export async function acquireAgentLocks(tx: Transaction, commands: Command[]): Promise<void> {
  const agentWrites = commands.filter(
    ({ actor, type }) => actor.type === 'agent' && COUNTED_TYPES.includes(type),
  );
  const decisions = commands.filter(({ type }) => type === DECISION_TYPE);
  if (agentWrites.length + decisions.length === 0) return;
  const keys = agentWrites.map(({ tenantId, actor }) => ({ tenant_id: tenantId, agent_id: actor.id }));
  await tx.query({
    name: 'agent-turns',
    text: `select pg_advisory_xact_lock(hashtextextended(key, 7366002)) from (
             select key from (
               select tenant_id || '/' || agent_id as key from ${recordsetSql('tenant_id uuid, agent_id uuid')}
               union select a.tenant_id || '/' || a.agent_id from jsonb_to_recordset($2::jsonb) as d(tenant_id uuid, id uuid)
                 join approvals a on a.tenant_id = d.tenant_id and a.id = d.id where a.agent_id is not null) named
             order by key offset 0) keys`,
    values: [JSON.stringify(keys), JSON.stringify(decisions.map(toRecordRef))],
  });
}
