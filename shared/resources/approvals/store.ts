import { hashBody } from '../../contracts/canonical-json.js';
import type { Command } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { namesOf, type RecordRef, recordset, refKey } from '../sets.js';

/** What a person is shown and decides on. */
export interface ApprovalContent {
  payload: unknown;
  amount_cents: number;
  /** updated_at of the record, as clients see it. */
  record_version: string | null;
}

/** What an approval is made with. */
export interface NewApproval extends ApprovalContent, RecordRef {
  kind: 'agent_write' | 'invoice_approval';
  action: string;
  entity_id: string;
  counted_cents: number | null;
  /** The setting whose bound the write reached; null for a proposal. */
  held_by: 'agent_gate_cents' | 'agent_day_cents' | null;
  justification: string | null;
  invoice_id: string | null;
}

/** An approval as the database holds it. */
export interface ApprovalRow extends Row, NewApproval {
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  agent_id: string | null;
  agent_name: string | null;
  source: Command['source'];
  tool: string | null;
  hash: string;
  changes: { field: string; from: unknown; to: unknown }[];
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  expires_at: string;
}

/** Binds a decision to what was shown. */
export function contentHash({ payload, amount_cents, record_version }: ApprovalContent): string {
  return hashBody({ payload, amount_cents, record_version: record_version && versionOf(record_version) });
}

/** A timestamp of the database as clients see it, to the millisecond. */
export function versionOf(updatedAt: unknown): string {
  return new Date(String(updatedAt)).toISOString();
}

/** True once nobody may decide any more because its time is over. */
export function isOver({ expires_at }: ApprovalRow): boolean {
  return Date.parse(expires_at) <= Date.now();
}

const COLUMNS = `tenant_id uuid, id uuid, kind text, action text, entity_id uuid, agent_id uuid, agent_name text, source text, tool text,
  payload jsonb, amount_cents bigint, counted_cents bigint, held_by text, justification text, invoice_id uuid, record_version timestamptz, hash text`;
const NAMES = namesOf(COLUMNS).join(', ');

/** Inserts approvals and tells which are there: an invoice with an open proposal gets no second one. */
export function insertApprovals(
  tx: Transaction,
  made: { command: Command; approval: NewApproval }[],
): Promise<RecordRef[]> {
  const rows = made.map(({ command, approval }) => {
    const isAgent = command.actor.type === 'agent';
    return {
      ...approval,
      agent_id: isAgent ? command.actor.id : null,
      agent_name: isAgent ? command.actor.name : null,
      source: command.source,
      tool: command.tool,
      hash: contentHash(approval),
    };
  });
  return tx.query<RecordRef>({
    name: 'insert-approvals',
    text: `insert into approvals (${NAMES}) select ${NAMES} from ${recordset(COLUMNS)}
           on conflict (tenant_id, invoice_id) where kind = 'invoice_approval' and status = 'pending' do nothing
           returning tenant_id, id`,
    values: [JSON.stringify(rows)],
  });
}

const DECIDED = `status text, payload jsonb, amount_cents bigint, invoice_id uuid, record_version timestamptz, hash text, changes jsonb, decided_by uuid,
  decided_at timestamptz, note text`;
const DECIDED_NAMES = namesOf(DECIDED);

/** Stores what decisions and time have changed. The rows are locked. */
export async function storeApprovals(tx: Transaction, rows: ApprovalRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'update-approvals',
    text: `update approvals t set ${DECIDED_NAMES.map((name) => `${name} = r.${name}`).join(', ')}
           from ${recordset(`tenant_id uuid, id uuid, ${DECIDED}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** Locks and reads what waits for a decision on these invoices, found invoice by invoice. */
export async function lockOpenApprovals(tx: Transaction, invoices: RecordRef[]): Promise<ApprovalRow[]> {
  if (invoices.length === 0) return [];
  const rows = await tx.query<{ record: ApprovalRow }>({
    name: 'lock-open-approvals',
    // "is true" keeps this a filter: as a condition of an index it tempts the planner to start from all that waits anywhere.
    text: `select to_jsonb(t) as record from ${recordset('tenant_id uuid, id uuid')}
           cross join lateral (
             select a.* from approvals a
             where a.tenant_id = r.tenant_id and a.invoice_id = r.id and (a.status = 'pending') is true
             order by a.id for update) t`,
    values: [JSON.stringify(invoices.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  return rows.map(({ record }) => record);
}

/**
 * Ends what waits for a decision on invoices that went another way. To be called in the transaction that moved them, with the invoices locked:
 * whoever decides locks in the same order, the invoice first.
 */
export async function cancelOpenApprovals(
  tx: Transaction,
  moved: (RecordRef & { status: string })[],
): Promise<void> {
  // From draft and needs_review an invoice leaves this way only (decisions 3); later moves meet nothing that is open.
  const left = moved.filter(({ status }) => status === 'approved' || status === 'cancelled');
  const open = (await lockOpenApprovals(tx, left)).filter((row) => !isOver(row));
  const statusOf = new Map(left.map((invoice) => [refKey(invoice), invoice.status]));
  const decided_at = new Date().toISOString();
  const cancelled = open.map((row): ApprovalRow => {
    const status = statusOf.get(refKey({ tenant_id: row.tenant_id, id: row.invoice_id as string }));
    return { ...row, status: 'cancelled', decided_at, note: `The invoice was ${status}.` };
  });
  await storeApprovals(tx, cancelled);
}
