import type { Actor } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../../records/record-refs.js';

/** The columns that record what agents did to an invoice. */
export interface AgentTraces extends RecordRef {
  billing_email: string | null;
  created_by_agent: boolean;
  agent_id: string | null;
  /**
   * The time at which an agent last set the price. If an agent has priced the invoice, an agent's
   * change of the billing email also sets this time. Null if no agent set the price, or if the
   * first version of this service created the invoice.
   */
  agent_priced_at: string | null;
  /**
   * A copy of `agent_priced_at`, made when a person replaces the line items. While the two columns
   * are equal, the price counts as a person's.
   */
  replaced_agent_price_at: string | null;
  /**
   * The last trusted value of `billing_email`, where '' stands for no email. An email is trusted if
   * it was set at creation or by a person. An email from an API key is trusted if it replaced a
   * trusted email. Null if an earlier version of this service stored the invoice.
   */
  trusted_billing_email: string | null;
  created_at: string;
}

export const AGENT_TRACE_COLUMNS = `agent_id uuid, agent_priced_at timestamptz, replaced_agent_price_at timestamptz, trusted_billing_email text`;
type Traces = Pick<
  AgentTraces,
  'agent_id' | 'agent_priced_at' | 'replaced_agent_price_at' | 'trusted_billing_email'
>;

export function createAgentTraces(actor: Actor, billingEmail: string | null | undefined): Partial<Traces> {
  return { ...agentPricing(actor), trusted_billing_email: billingEmail ?? '' };
}

/**
 * Returns the columns that mark a price as an agent's, so that it counts towards the approval
 * threshold. Returns undefined if the actor is not an agent.
 */
function agentPricing({ type, id }: Actor): Pick<Traces, 'agent_id' | 'agent_priced_at'> | undefined {
  return type === 'agent' ? { agent_id: id, agent_priced_at: new Date().toISOString() } : undefined;
}

interface Edit {
  actor: Actor;
  /** The billing email after the edit. */
  billingEmail: string | null;
  setsEmail: boolean;
  setsLines: boolean;
}

/**
 * Returns the trace columns after an edit. If a person replaces the line items, the invoice no
 * longer counts as changed by an agent. If a person sets only the billing email, the price still
 * counts as an agent's.
 */
export function updateAgentTraces(
  row: AgentTraces,
  { actor, billingEmail, setsEmail, setsLines }: Edit,
): Traces {
  const { agent_id, agent_priced_at, replaced_agent_price_at, trusted_billing_email } = row;
  const kept = { agent_id, agent_priced_at, replaced_agent_price_at, trusted_billing_email };
  if (actor.type === 'agent') {
    const isPriced = setsLines || isAgentPriceReaddressed(row, billingEmail);
    return isPriced ? { ...kept, ...agentPricing(actor), replaced_agent_price_at: null } : kept;
  }
  const emailAfter = billingEmail ?? '';
  if (actor.type !== 'user')
    // An API key's billing email is trusted only if the previous email was trusted. Otherwise a
    // key's edit could hide that an agent had changed the email.
    return setsEmail && isAddressTrusted(row) ? { ...kept, trusted_billing_email: emailAfter } : kept;
  const trusted = setsEmail || setsLines ? { ...kept, trusted_billing_email: emailAfter } : kept;
  if (!setsLines) return trusted;
  // The first version of this service did not store `agent_priced_at` when an agent created an
  // invoice, so use `created_at`.
  const pricedAt = agent_priced_at ?? (row.created_by_agent ? row.created_at : null);
  return { ...trusted, agent_priced_at: pricedAt, replaced_agent_price_at: pricedAt };
}

/**
 * True if an edit changes the billing email of an invoice that an agent priced. Such an edit by an
 * agent counts as pricing. Otherwise an agent could avoid the approval threshold: it could draft
 * invoices for ten addresses, and then move all of them to one payer.
 */
export function isAgentPriceReaddressed(row: AgentTraces, billingEmail: string | null): boolean {
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
 * Finds the invoices that only a signed-in person may approve (docs/decisions.md §3). An agent
 * created, priced or re-addressed such an invoice, and no person has replaced the agent's values
 * since.
 */
export async function findPersonApprovalRequired(tx: Transaction, rows: AgentTraces[]): Promise<Set<string>> {
  const touched = rows.filter(
    (row) => hasAgentPrice(row) || (row.trusted_billing_email !== null && !isAddressTrusted(row)),
  );
  const unknown = rows.filter((row) => row.trusted_billing_email === null);
  return new Set([...touched, ...(await findReaddressed(tx, unknown))].map(refKey));
}

/**
 * Searches the audit log for invoices whose billing email an agent has changed. Only invoices from
 * an earlier version of this service need this search, because they have no
 * `trusted_billing_email`.
 */
async function findReaddressed(tx: Transaction, rows: AgentTraces[]): Promise<RecordRef[]> {
  if (rows.length === 0) return [];
  return tx.query<RecordRef>({
    name: 'find-readdressed-invoices',
    text: `select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')}
           where exists (
             select from audit_entries a
             where a.tenant_id = r.tenant_id and a.entity_id = r.id and a.entity_type = 'invoice' and a.actor_type = 'agent' and a.outcome = 'ok'
               and a.action = 'invoice.updated' and a.changes @> '[{"field": "billing_email"}]'::jsonb)`,
    values: [JSON.stringify(rows.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}
