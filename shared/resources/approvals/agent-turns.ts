import type { Actor, Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';

/** What an agent's writes that the gate counts share, so that no two of them run at once. */
export function agentTurn(actor: Actor): string[] {
  return actor.type === 'agent' ? [`agent:${actor.id}`] : [];
}

const GATED_TYPES = ['invoice.create', 'invoice.draft', 'invoice.update'];

/**
 * Lets the writes that the gate counts wait for those of the same agent key in other transactions: each must see what the one before it drafted.
 * Taken before anything else is locked, in one order for everybody. Costs a batch without agents nothing.
 */
export async function takeAgentTurns(tx: Transaction, commands: Command[]): Promise<void> {
  const gated = commands.filter(({ actor, type }) => actor.type === 'agent' && GATED_TYPES.includes(type));
  if (gated.length === 0) return;
  const keys = [...new Set(gated.map(({ tenantId, actor }) => `${tenantId}/${actor.id}`))].sort();
  await tx.query({
    name: 'agent-turns',
    text: `select pg_advisory_xact_lock(hashtextextended(key, 7366002))
           from (select key from unnest($1::text[]) as key order by key offset 0) keys`,
    values: [keys],
  });
}
