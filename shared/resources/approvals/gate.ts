import type { Command, Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { failed, type RecordRef, recordset } from '../sets.js';
import { FROM_CARD } from './held.js';
import { insertApprovals, type NewApproval } from './store.js';

/** A write that has been checked and priced, and is about to be made. */
export interface PricedWrite {
  command: Command;
  totalCents: number;
  /** As the invoice names them. */
  workOrderId: string | null;
  customerId: string | null;
  billingEmail: string | null;
  /** updated_at of the draft that is changed; null for a new one. */
  recordVersion: string | null;
  /** Its lines are a rate card's, not the client's: approving prices it anew, for other invoices may have charged the job meanwhile. */
  isFromCard?: boolean;
}

/** The account's bounds (null: none), and what the key's other drafts of 24 hours come to. */
interface Counted extends RecordRef {
  gate: number | null;
  day_bound: number | null;
  /** Of the same work order or payer. */
  shared: number;
  day: number;
}

/** The bound that a write has reached, and the sum that reached it. */
interface Reached {
  setting: 'agent_gate_cents' | 'agent_day_cents';
  sum: number;
}

/** Why writes could not be made even if a human approved them now, by command. */
export type FindFaults = (held: PricedWrite[]) => Promise<Map<string, Outcome>>;

const noFaults: FindFaults = async () => new Map();

/**
 * The approval threshold (decisions 7): of these writes, the outcomes of agents' that must not be made now. A write is held when its total reaches
 * agent_gate_cents together with the key's drafts of 24 hours for the same work order or the same
 * payer (a customer, a billing address), or agent_day_cents together with all of them.
 * What a human approved must cost what was shown.
 */
export async function passGate(
  tx: Transaction,
  writes: PricedWrite[],
  findFaults: FindFaults = noFaults,
): Promise<Map<string, Outcome>> {
  const stopped = new Map<string, Outcome>();
  for (const { command, totalCents, isFromCard } of writes) {
    const shown = command.approved?.amountCents;
    if (shown === undefined || shown === totalCents) continue;
    stopped.set(
      command.id,
      repriced(shown, totalCents, isFromCard ? payloadOf({ command, isFromCard }) : undefined),
    );
  }
  const gated = writes.filter(({ command }) => command.actor.type === 'agent' && !command.approved);
  if (gated.length === 0) return stopped;
  const counts = new Map((await countDrafts(tx, gated)).map((row) => [row.id, row]));
  const reaching = gated.flatMap((write) => {
    const reached = reachedBound(write, counts.get(write.command.id));
    return reached ? [{ write, reached }] : [];
  });
  if (reaching.length === 0) return stopped;
  const faults = await findFaults(reaching.map(({ write }) => write));
  const holding = reaching.filter(({ write }) => !faults.has(write.command.id));
  for (const { write } of holding)
    stopped.set(write.command.id, { ok: true, held: true, changes: [], events: [] });
  await insertApprovals(
    tx,
    holding.map(({ write, reached }) => ({ command: write.command, approval: approvalOf(write, reached) })),
  );
  return new Map([...stopped, ...faults]);
}

function reachedBound({ totalCents }: PricedWrite, counted: Counted | undefined): Reached | undefined {
  if (!counted) return undefined;
  const [shared, day] = [totalCents + counted.shared, totalCents + counted.day];
  if (counted.gate !== null && shared >= counted.gate) return { setting: 'agent_gate_cents', sum: shared };
  if (counted.day_bound !== null && day >= counted.day_bound) return { setting: 'agent_day_cents', sum: day };
  return undefined;
}

function repriced(from: number, to: number, payload: unknown): Outcome {
  return failed({
    code: 'conflict',
    message: 'The price has changed since this was shown. Look at it again before you decide.',
    details: [
      { field: 'amount_cents', from, to },
      ...(payload ? [{ field: 'payload', from: null, to: payload }] : []),
    ],
  });
}

/** What is shown and kept of a held write; {@link FROM_CARD} tells that its lines are to be reckoned again. */
function payloadOf({ command, isFromCard }: Pick<PricedWrite, 'command' | 'isFromCard'>): unknown {
  return isFromCard ? { ...(command.input as object), [FROM_CARD]: true } : command.input;
}

/**
 * By command: the account's bounds, if it has any, and what they count. Ten work orders of one
 * payer must not be ten thresholds, nor must leaving the payer out: drafts with nobody to bill are
 * one group. So are those that name neither work order nor customer, whatever addresses they give.
 */
function countDrafts(tx: Transaction, writes: PricedWrite[]): Promise<Counted[]> {
  const rows = writes.map(({ command, workOrderId, customerId, billingEmail }) => ({
    tenant_id: command.tenantId,
    id: command.id,
    entity_id: command.entityId,
    agent_id: command.actor.id,
    work_order_id: workOrderId,
    customer_id: customerId,
    billing_email: billingEmail,
  }));
  return tx.query<Counted>({
    name: 'count-agent-drafts',
    text: `select r.tenant_id, r.id, t.agent_gate_cents as gate, t.agent_day_cents as day_bound, drafted.shared, drafted.day
           from ${recordset(ASKED)}
           join tenants t on t.tenant_id = r.tenant_id
           cross join ${payerOf('r')} asked
           cross join lateral (
             select coalesce(sum(i.total_cents), 0)::bigint as day,
               coalesce(sum(i.total_cents) filter (where i.work_order_id = r.work_order_id
                 or payer.customer_id = asked.customer_id or payer.address = asked.address
                 or coalesce(payer.customer_id::text, payer.address, asked.customer_id::text, asked.address) is null
                 or coalesce(i.work_order_id, i.customer_id, r.work_order_id, r.customer_id) is null), 0)::bigint as shared
             from invoices i cross join ${payerOf('i')} payer
             where i.tenant_id = r.tenant_id and i.agent_id = r.agent_id and i.agent_priced_at > now() - interval '24 hours'
               and i.id <> r.entity_id and i.status not in ('cancelled', 'void')) drafted
           where t.agent_gate_cents is not null or t.agent_day_cents is not null`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Who would be billed: the customer that the invoice names, else its work order's; and the address
 * of the invoice, else its work order's, else that customer's.
 */
function payerOf(alias: string): string {
  const isOf = (other: string, id: string) =>
    `${other}.tenant_id = ${alias}.tenant_id and ${other}.id = ${id}`;
  // A join with customers was planned as a look at all of them, on tables without statistics.
  return `lateral (
    select named.customer_id, lower(trim(coalesce(${alias}.billing_email, named.billing_email,
      (select c.billing_email from customers c where ${isOf('c', 'named.customer_id')})))) as address
    from (select coalesce(${alias}.customer_id, w.customer_id) as customer_id, w.billing_email
          from (select) one left join work_orders w on ${isOf('w', `${alias}.work_order_id`)}) named)`;
}

const ASKED =
  'tenant_id uuid, id uuid, entity_id uuid, agent_id uuid, work_order_id uuid, customer_id uuid, billing_email text';

function approvalOf(
  { command, totalCents, recordVersion, isFromCard }: PricedWrite,
  { setting, sum }: Reached,
): NewApproval {
  return {
    tenant_id: command.tenantId,
    id: command.id,
    kind: 'agent_write',
    action: command.type,
    entity_id: command.entityId,
    payload: payloadOf({ command, isFromCard: isFromCard ?? false }),
    amount_cents: totalCents,
    counted_cents: sum,
    held_by: setting,
    justification: null,
    invoice_id: recordVersion === null ? null : command.entityId,
    record_version: recordVersion,
  };
}
