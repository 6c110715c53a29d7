import type { Command } from '../../contracts/command.js';
import { hashBody } from '../../contracts/json/canonical-json.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { parseColumnNames, type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';

/*
 * The rows of approvals are written here and not in the folder `approvals`, to avoid an import
 * cycle. `approvals` imports `invoices`, because a decision runs invoice commands. `invoices`
 * imports this folder, because a write of an invoice may create or cancel approvals.
 */

/**
 * This member marks the payload of a held write whose line items a rate card set. When a person
 * approves the write, the line items are priced again.
 */
export const PRICED_FROM_CARD_MEMBER = 'priced_from_card';

/** The part of an approval that a person sees and decides on. */
export interface ApprovalContent {
  payload: unknown;
  amount_cents: number;
  /** `updated_at` of the existing invoice that the approval concerns; null for a new invoice. */
  record_version: string | null;
}

export interface NewApproval extends ApprovalContent, RecordRef {
  kind: 'agent_write' | 'invoice_approval';
  action: string;
  entity_id: string;
  counted_cents: number | null;
  /**
   * The account setting whose threshold the write reached; null for the kind `invoice_approval`.
   */
  held_by: 'agent_gate_cents' | 'agent_day_cents' | null;
  justification: string | null;
  invoice_id: string | null;
}

export interface ApprovalRow extends Row, NewApproval {
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  agent_id: string | null;
  agent_name: string | null;
  source: Command['source'];
  tool: string | null;
  hash: string;
  changes: { field: string; from: unknown; to: unknown }[];
  decided_by: string | null;
  decided_by_name: string | null;
  decided_at: string | null;
  note: string | null;
  expires_at: string;
}

/**
 * Returns a hash of what the person sees. A decision with another hash is refused, because the
 * content has changed since the person saw it.
 */
export function hashApprovalContent({ payload, amount_cents, record_version }: ApprovalContent): string {
  return hashBody({ payload, amount_cents, record_version: record_version && toVersion(record_version) });
}

/** Converts a database timestamp to the form that clients see, with milliseconds. */
export function toVersion(updatedAt: unknown): string {
  return new Date(String(updatedAt)).toISOString();
}

export function hasExpired({ expires_at }: ApprovalRow): boolean {
  return Date.parse(expires_at) <= Date.now();
}

const COLUMNS = `tenant_id uuid, id uuid, kind text, action text, entity_id uuid, agent_id uuid, agent_name text, source text, tool text,
  payload jsonb, amount_cents bigint, counted_cents bigint, held_by text, justification text, invoice_id uuid, record_version timestamptz, hash text`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/**
 * Inserts approvals and returns the inserted ones. Skips an `invoice_approval` if the invoice
 * already has a pending `invoice_approval`.
 */
export function insertApprovals(
  tx: Transaction,
  drafts: { command: Command; approval: NewApproval }[],
): Promise<RecordRef[]> {
  const rows = drafts.map(({ command, approval }) => {
    const isAgent = command.actor.type === 'agent';
    return {
      ...approval,
      agent_id: isAgent ? command.actor.id : null,
      agent_name: isAgent ? command.actor.name : null,
      source: command.source,
      tool: command.tool,
      hash: hashApprovalContent(approval),
    };
  });
  return tx.query<RecordRef>({
    name: 'insert-approvals',
    text: `insert into approvals (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, invoice_id) where kind = 'invoice_approval' and status = 'pending' do nothing
           returning tenant_id, id`,
    values: [JSON.stringify(rows)],
  });
}

const UPDATED_COLUMNS = `status text, payload jsonb, amount_cents bigint, invoice_id uuid, record_version timestamptz, hash text, changes jsonb, decided_by uuid,
  decided_by_name text, decided_at timestamptz, note text`;
const UPDATED_NAMES = parseColumnNames(UPDATED_COLUMNS);

/** Stores changed approvals. The caller must have locked the rows. */
export async function storeApprovals(tx: Transaction, rows: ApprovalRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'update-approvals',
    text: `update approvals t set ${UPDATED_NAMES.map((name) => `${name} = r.${name}`).join(', ')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${UPDATED_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** Locks the pending approvals of the invoices and returns them. */
export async function lockOpenApprovals(tx: Transaction, invoices: RecordRef[]): Promise<ApprovalRow[]> {
  if (invoices.length === 0) return [];
  const rows = await tx.query<{ record: ApprovalRow }>({
    name: 'lock-open-approvals',
    // `is true` keeps PostgreSQL from using an index on `status`. With such an index, the planner
    // might first read the pending approvals of all accounts.
    text: `select to_jsonb(t) as record from ${recordsetSql('tenant_id uuid, id uuid')}
           cross join lateral (
             select a.* from approvals a
             where a.tenant_id = r.tenant_id and a.invoice_id = r.id and (a.status = 'pending') is true
             order by a.id for update) t`,
    values: [JSON.stringify(invoices.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  return rows.map(({ record }) => record);
}

/**
 * Cancels the open approvals of invoices that were approved or cancelled without a decision on the
 * approval. Call this function in the transaction that locked the invoices. Decisions also lock the
 * invoice before the approval, so a deadlock is impossible.
 */
export async function cancelOpenApprovals(
  tx: Transaction,
  moved: (RecordRef & { status: string })[],
): Promise<void> {
  // Open approvals exist only for invoices in draft and needs_review. Such an invoice leaves these
  // statuses only for approved or cancelled (docs/decisions.md §3).
  const left = moved.filter(({ status }) => status === 'approved' || status === 'cancelled');
  const open = (await lockOpenApprovals(tx, left)).filter((row) => !hasExpired(row));
  const statusOf = new Map(left.map((invoice) => [refKey(invoice), invoice.status]));
  const decided_at = new Date().toISOString();
  const cancelled = open.map((row): ApprovalRow => {
    const status = statusOf.get(refKey({ tenant_id: row.tenant_id, id: row.invoice_id as string }));
    return { ...row, status: 'cancelled', decided_at, note: `The invoice was ${status}.` };
  });
  await storeApprovals(tx, cancelled);
}
