import type { Actor, Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { recordset, refOf } from '../sets.js';
import { approveApproval } from './commands.js';

/** What an agent's writes that the gate counts share, so that no two of them run at once. */
export function agentTurn(actor: Actor): string[] {
  return actor.type === 'agent' ? [`agent:${actor.id}`] : [];
}

const GATED_TYPES = ['invoice.create', 'invoice.draft', 'invoice.update'];

/**
 * Lets the writes that the gate counts wait for those of the same agent key in other transactions:
 * each must see what the one before it drafted. So does a decision on what an agent asked for,
 * because approving makes that agent's draft. Taken before anything else is locked, in one order
 * for everybody. Costs a batch without either nothing.
 */
export async function takeAgentTurns(tx: Transaction, commands: Command[]): Promise<void> {
  const gated = commands.filter(({ actor, type }) => actor.type === 'agent' && GATED_TYPES.includes(type));
  const decisions = commands.filter(({ type }) => type === approveApproval.type);
  if (gated.length + decisions.length === 0) return;
  const keys = gated.map(({ tenantId, actor }) => ({ tenant_id: tenantId, agent_id: actor.id }));
  await tx.query({
    name: 'agent-turns',
    text: `select pg_advisory_xact_lock(hashtextextended(key, 7366002)) from (
             select key from (
               select tenant_id || '/' || agent_id as key from ${recordset('tenant_id uuid, agent_id uuid')}
               union select a.tenant_id || '/' || a.agent_id from jsonb_to_recordset($2::jsonb) as d(tenant_id uuid, id uuid)
                 join approvals a on a.tenant_id = d.tenant_id and a.id = d.id where a.agent_id is not null) named
             order by key offset 0) keys`,
    values: [JSON.stringify(keys), JSON.stringify(decisions.map(refOf))],
  });
}
