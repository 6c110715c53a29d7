import type { Command, Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { failed, type RecordRef, recordset } from '../sets.js';
import { FROM_CARD } from './held.js';
import { insertApprovals, type NewApproval } from './store.js';

/** A write that has been checked and priced, and is about to be made. */
export interface PricedWrite {
  command: Command;
  totalCents: number;
  /** What drafts count together by: the work order, else the customer; those that name neither count as one. */
  target: string | null;
  /** updated_at of the draft that is changed; null for a new one. */
  recordVersion: string | null;
  /** Its lines are a rate card's, not the client's: approving prices it anew, for other invoices may have charged the job meanwhile. */
  isFromCard?: boolean;
}

interface Counted extends RecordRef {
  gate: number;
  others: number;
}

/** Why writes could not be made even if a human approved them now, by command. */
export type FindFaults = (held: PricedWrite[]) => Promise<Map<string, Outcome>>;

const noFaults: FindFaults = async () => new Map();

/**
 * The gate (decisions 7): of these writes, the outcomes of agents' that must not be made now. They are held when their total, with what the same
 * key drafted for the same target within 24 hours, reaches the account's gate; what a human approved must cost what was shown.
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
    const counted = counts.get(write.command.id);
    const sum = write.totalCents + (counted?.others ?? 0);
    return counted && sum >= counted.gate ? [{ write, sum }] : [];
  });
  if (reaching.length === 0) return stopped;
  const faults = await findFaults(reaching.map(({ write }) => write));
  const holding = reaching.filter(({ write }) => !faults.has(write.command.id));
  for (const { write } of holding)
    stopped.set(write.command.id, { ok: true, held: true, changes: [], events: [] });
  await insertApprovals(
    tx,
    holding.map(({ write, sum }) => ({ command: write.command, approval: approvalOf(write, sum) })),
  );
  return new Map([...stopped, ...faults]);
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

/** By command: the account's gate, if it has one, and what the key's other drafts for that target come to. */
function countDrafts(tx: Transaction, writes: PricedWrite[]): Promise<Counted[]> {
  const rows = writes.map(({ command, target }) => ({
    tenant_id: command.tenantId,
    id: command.id,
    entity_id: command.entityId,
    agent_id: command.actor.id,
    target,
  }));
  return tx.query<Counted>({
    name: 'count-agent-drafts',
    text: `select r.tenant_id, r.id, t.agent_gate_cents as gate, coalesce(
             (select sum(i.total_cents) from invoices i
              where i.tenant_id = r.tenant_id and i.agent_id = r.agent_id and i.agent_priced_at > now() - interval '24 hours'
                and coalesce(i.work_order_id, i.customer_id) is not distinct from r.target
                and i.id <> r.entity_id and i.status not in ('cancelled', 'void')), 0)::bigint as others
           from ${recordset('tenant_id uuid, id uuid, entity_id uuid, agent_id uuid, target uuid')}
           join tenants t on t.tenant_id = r.tenant_id where t.agent_gate_cents is not null`,
    values: [JSON.stringify(rows)],
  });
}

function approvalOf(
  { command, totalCents, recordVersion, isFromCard }: PricedWrite,
  sum: number,
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
    justification: null,
    invoice_id: recordVersion === null ? null : command.entityId,
    record_version: recordVersion,
  };
}
