import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { insertApprovals, type NewApproval, PRICED_FROM_CARD_MEMBER } from './store.js';

/** A write of an invoice that has been checked and priced, and is about to be stored. */
export interface PricedWrite {
  command: Command;
  totalCents: number;
  /**
   * `workOrderId`, `customerId` and `billingEmail` are the invoice's own values, not those of its
   * work order.
   */
  workOrderId: string | null;
  customerId: string | null;
  billingEmail: string | null;
  /** `updated_at` of the draft to change; null for a new invoice. */
  recordVersion: string | null;
  /**
   * True if a rate card set the line items. When a person approves the write, the line items are
   * priced again, because another invoice may have billed the work order in the meantime.
   */
  isFromCard?: boolean;
}

/**
 * The thresholds of an account, and the amounts that an agent key has drafted in the last 24 hours.
 * The current write is not counted.
 */
interface Counted extends RecordRef {
  threshold: number | null;
  day_bound: number | null;
  /** The total of the key's drafts for the same work order or payer. */
  shared: number;
  day: number;
}

/** The account setting whose threshold a write reaches, and the sum that reaches the threshold. */
interface Reached {
  setting: 'agent_gate_cents' | 'agent_day_cents';
  sum: number;
}

/**
 * Finds writes that would fail even if a person approved them now.
 * @returns the errors, by command id
 */
export type FindWriteErrors = (held: PricedWrite[]) => Promise<Map<string, CommandOutcome>>;

const findNoErrors: FindWriteErrors = async () => new Map();

/**
 * Holds agents' writes that reach an approval threshold, and returns the outcomes of all writes
 * that must not run now (docs/decisions.md §7).
 *
 * An agent's write adds to what its key has drafted in the last 24 hours. The write is held if the
 * sum for its work order or payer reaches `agent_gate_cents`, or if the sum of all drafts reaches
 * `agent_day_cents`. A write that a person has approved is refused if its price differs from the
 * price that the person saw.
 */
export async function holdWritesOverThreshold(
  tx: Transaction,
  writes: PricedWrite[],
  findFaults: FindWriteErrors = findNoErrors,
): Promise<Map<string, CommandOutcome>> {
  const outcomes = new Map<string, CommandOutcome>();
  for (const { command, totalCents, isFromCard } of writes) {
    const shownCents = command.approved?.amountCents;
    if (shownCents === undefined || shownCents === totalCents) continue;
    outcomes.set(
      command.id,
      repricedOutcome(shownCents, totalCents, isFromCard ? payloadFor({ command, isFromCard }) : undefined),
    );
  }
  const agentWrites = writes.filter(({ command }) => command.actor.type === 'agent' && !command.approved);
  if (agentWrites.length === 0) return outcomes;
  const counts = new Map((await countDrafts(tx, agentWrites)).map((row) => [row.id, row]));
  const reachingWrites = agentWrites.flatMap((write) => {
    const reached = findReachedThreshold(write, counts.get(write.command.id));
    return reached ? [{ write, reached }] : [];
  });
  if (reachingWrites.length === 0) return outcomes;
  const errors = await findFaults(reachingWrites.map(({ write }) => write));
  const heldWrites = reachingWrites.filter(({ write }) => !errors.has(write.command.id));
  for (const { write } of heldWrites)
    outcomes.set(write.command.id, { ok: true, held: true, changes: [], events: [] });
  await insertApprovals(
    tx,
    heldWrites.map(({ write, reached }) => ({
      command: write.command,
      approval: approvalOf(write, reached),
    })),
  );
  return new Map([...outcomes, ...errors]);
}

function findReachedThreshold(
  { totalCents }: PricedWrite,
  counted: Counted | undefined,
): Reached | undefined {
  if (!counted) return undefined;
  const [shared, day] = [totalCents + counted.shared, totalCents + counted.day];
  if (counted.threshold !== null && shared >= counted.threshold)
    return { setting: 'agent_gate_cents', sum: shared };
  if (counted.day_bound !== null && day >= counted.day_bound) return { setting: 'agent_day_cents', sum: day };
  return undefined;
}

function repricedOutcome(from: number, to: number, payload: unknown): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'The price has changed since this was shown. Read it again before you decide.',
    details: [
      { field: 'amount_cents', from, to },
      ...(payload ? [{ field: 'payload', from: null, to: payload }] : []),
    ],
  });
}

/** Returns the payload that the approval of a held write stores and shows. */
function payloadFor({ command, isFromCard }: Pick<PricedWrite, 'command' | 'isFromCard'>): unknown {
  return isFromCard ? { ...(command.input as object), [PRICED_FROM_CARD_MEMBER]: true } : command.input;
}

/**
 * Sums what each write's agent key has drafted in the last 24 hours. Drafts for one payer count
 * together, so that an agent cannot split an amount over ten work orders. Drafts without a payer
 * form one group, so that an agent cannot avoid the threshold by omitting the payer. Drafts with
 * neither a work order nor a customer also form one group, whatever their billing addresses.
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
    text: `select r.tenant_id, r.id, t.agent_gate_cents as threshold, t.agent_day_cents as day_bound, drafted.shared, drafted.day
           from ${recordsetSql(WRITE_COLUMNS)}
           join tenants t on t.tenant_id = r.tenant_id
           cross join ${payerSql('r')} asked
           cross join lateral (
             select coalesce(sum(i.total_cents), 0)::bigint as day,
               coalesce(sum(i.total_cents) filter (where i.work_order_id = r.work_order_id
                 or payer.customer_id = asked.customer_id or payer.address = asked.address
                 or coalesce(payer.customer_id::text, payer.address, asked.customer_id::text, asked.address) is null
                 or coalesce(i.work_order_id, i.customer_id, r.work_order_id, r.customer_id) is null), 0)::bigint as shared
             from invoices i cross join ${payerSql('i')} payer
             where i.tenant_id = r.tenant_id and i.agent_id = r.agent_id and i.agent_priced_at > now() - interval '24 hours'
               and i.id <> r.entity_id and i.status not in ('cancelled', 'void')) drafted
           where t.agent_gate_cents is not null or t.agent_day_cents is not null`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Returns SQL for the payer of a row, as two columns. `customer_id` is the invoice's customer, or
 * else the work order's customer. `address` is the first billing email that is set: the invoice's,
 * the work order's, or that of the customer `customer_id`.
 */
function payerSql(alias: string): string {
  const isSameRow = (other: string, id: string) =>
    `${other}.tenant_id = ${alias}.tenant_id and ${other}.id = ${id}`;
  // Read the customer in a subquery. On tables without statistics, a join with `customers` made
  // PostgreSQL scan all customers.
  return `lateral (
    select named.customer_id, lower(trim(coalesce(${alias}.billing_email, named.billing_email,
      (select c.billing_email from customers c where ${isSameRow('c', 'named.customer_id')})))) as address
    from (select coalesce(${alias}.customer_id, w.customer_id) as customer_id, w.billing_email
          from (select) one left join work_orders w on ${isSameRow('w', `${alias}.work_order_id`)}) named)`;
}

const WRITE_COLUMNS =
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
    payload: payloadFor({ command, isFromCard: isFromCard ?? false }),
    amount_cents: totalCents,
    counted_cents: sum,
    held_by: setting,
    justification: null,
    invoice_id: recordVersion === null ? null : command.entityId,
    record_version: recordVersion,
  };
}
