import type { Actor, Command } from '../contracts/command.js';
import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql, toRecordRef } from './record-refs.js';

/**
 * Returns the conflict key that keeps two writes of one agent from running concurrently. Writes of
 * an agent count towards the approval threshold, so each write must see what earlier writes
 * drafted. Other actors have no such key.
 */
export function agentConflictKeys(actor: Actor): string[] {
  return actor.type === 'agent' ? [`agent:${actor.id}`] : [];
}

const COUNTED_TYPES = ['invoice.create', 'invoice.draft', 'invoice.update'];
const DECISION_TYPE = 'approval.approve';

/**
 * Locks each agent whose writes count towards the approval threshold, because each write must see
 * what the agent's previous write drafted. Approving an agent's request creates a draft of that
 * agent, so the approval locks the agent too.
 *
 * Each transaction takes these locks before all others and sorted by key, so that transactions do
 * not deadlock. A batch without such commands runs no query.
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
