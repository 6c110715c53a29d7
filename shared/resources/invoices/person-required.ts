import type { Actor } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type RecordRef, recordset, refKey } from '../sets.js';

/** What an invoice remembers of what agents did to it. */
export interface AgentTraces extends RecordRef {
  billing_email: string | null;
  created_by_agent: boolean;
  agent_id: string | null;
  /** When an agent key last gave it its price, or that price to another address; null: none has. */
  agent_priced_at: string | null;
  /** agent_priced_at of the price that a person's own lines have replaced. */
  replaced_agent_price_at: string | null;
  /** billing_email as somebody other than an agent last left it, '' for none; null: an earlier version wrote the row. */
  trusted_billing_email: string | null;
  created_at: string;
}

/** The columns that {@link tracesAfter} sets. */
export const TRACE_COLUMNS = `agent_id uuid, agent_priced_at timestamptz, replaced_agent_price_at timestamptz, trusted_billing_email text`;
type Traces = Pick<
  AgentTraces,
  'agent_id' | 'agent_priced_at' | 'replaced_agent_price_at' | 'trusted_billing_email'
>;

/** The traces on a new invoice. */
export function tracesOfNew(actor: Actor, billingEmail: string | null | undefined): Partial<Traces> {
  return { ...agentPricing(actor), trusted_billing_email: billingEmail ?? '' };
}

/** What the gate counts a price by: the agent key that gave it last, and when. */
function agentPricing({ type, id }: Actor): Pick<Traces, 'agent_id' | 'agent_priced_at'> | undefined {
  return type === 'agent' ? { agent_id: id, agent_priced_at: new Date().toISOString() } : undefined;
}

interface Edit {
  actor: Actor;
  /** As the edit leaves it. */
  billingEmail: string | null;
  setsEmail: boolean;
  setsLines: boolean;
}

/** The traces after an edit: an agent leaves some, a person's own lines clear all of them, a person's own address clears the agent's. */
export function tracesAfter(row: AgentTraces, { actor, billingEmail, setsEmail, setsLines }: Edit): Traces {
  const { agent_id, agent_priced_at, replaced_agent_price_at, trusted_billing_email } = row;
  const kept = { agent_id, agent_priced_at, replaced_agent_price_at, trusted_billing_email };
  if (actor.type === 'agent') {
    const isPriced = setsLines || movesAgentPrice(row, billingEmail);
    return isPriced ? { ...kept, ...agentPricing(actor), replaced_agent_price_at: null } : kept;
  }
  const leaves = billingEmail ?? '';
  if (actor.type !== 'user')
    // A key's change hides no agent's: it is trusted as far as the address before it was.
    return setsEmail && isAddressTrusted(row) ? { ...kept, trusted_billing_email: leaves } : kept;
  const trusted = setsEmail || setsLines ? { ...kept, trusted_billing_email: leaves } : kept;
  if (!setsLines) return trusted;
  // The first version did not say when an agent priced what it created: it was then.
  const pricedAt = agent_priced_at ?? (row.created_by_agent ? row.created_at : null);
  return { ...trusted, agent_priced_at: pricedAt, replaced_agent_price_at: pricedAt };
}

/**
 * Whether an edit gives what an agent priced to another address. From an agent that counts as
 * pricing it: drafts for ten addresses would else come to one payer past the threshold.
 */
export function movesAgentPrice(row: AgentTraces, billingEmail: string | null): boolean {
  return billingEmail !== row.billing_email && hasAgentPrice(row);
}

function isAddressTrusted({ billing_email, trusted_billing_email }: AgentTraces): boolean {
  return trusted_billing_email === (billing_email ?? '');
}

function hasAgentPrice({ created_by_agent, agent_priced_at, replaced_agent_price_at }: AgentTraces): boolean {
  if (agent_priced_at === null) return created_by_agent;
  return replaced_agent_price_at === null || !isSameInstant(agent_priced_at, replaced_agent_price_at);
}

function isSameInstant(a: string, b: string): boolean {
  return Date.parse(a) === Date.parse(b);
}

/**
 * Keys ({@link refKey}) of those locked invoices that only a signed-in person may approve: an agent created, priced or re-addressed them, and no person has
 * taken over since (decisions 3).
 */
export async function findPersonRequired(tx: Transaction, rows: AgentTraces[]): Promise<Set<string>> {
  const touched = rows.filter(
    (row) => hasAgentPrice(row) || (row.trusted_billing_email !== null && !isAddressTrusted(row)),
  );
  const unknown = rows.filter((row) => row.trusted_billing_email === null);
  return new Set([...touched, ...(await findReaddressed(tx, unknown))].map(refKey));
}

/** Of invoices that an earlier version wrote, those whose address an agent has ever changed: the audit log tells. */
async function findReaddressed(tx: Transaction, rows: AgentTraces[]): Promise<RecordRef[]> {
  if (rows.length === 0) return [];
  return tx.query<RecordRef>({
    name: 'find-readdressed-invoices',
    text: `select r.tenant_id, r.id from ${recordset('tenant_id uuid, id uuid')}
           where exists (
             select from audit_entries a
             where a.tenant_id = r.tenant_id and a.entity_id = r.id and a.entity_type = 'invoice' and a.actor_type = 'agent' and a.outcome = 'ok'
               and a.action = 'invoice.updated' and a.changes @> '[{"field": "billing_email"}]'::jsonb)`,
    values: [JSON.stringify(rows.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}
