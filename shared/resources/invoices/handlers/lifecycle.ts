import type { Change, Command, CommandOutcome } from '../../../contracts/command.js';
import type { Row, Transaction } from '../../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../../records/lock-records.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../../records/record-refs.js';
import { bookInvoices } from '../../books/store.js';
import { withdrawAnnulledClaims } from '../../open-claims/store.js';
import { closeOutdatedPayLinks } from '../../open-pay-links/store.js';
import { cancelOpenApprovals } from '../../pending-approvals/store.js';
import { refreshBillingStatus } from '../../work-orders/billing.js';
import {
  type InvoiceHistory,
  type InvoiceStatus,
  listAllowedActions,
  listAllowedMoves,
  type Mover,
  type MoveTarget,
} from '../transitions.js';
import type { AgentTraces } from './agent-traces.js';

export interface InvoiceRow extends Row, AgentTraces {
  invoice_number: string;
  status: InvoiceStatus;
  status_reason: string | null;
  customer_id: string | null;
  work_order_id: string | null;
  tax_rate_bps: number;
  total_cents: number;
  paid_cents: number;
  released_at: string | null;
  released_as: 'sending' | 'sent_to_roadsync' | null;
  viewed_at: string | null;
  sent_at: string | null;
  paid_at: string | null;
  delivery_state: 'queued' | 'sent' | 'failed' | null;
  /** The newest pay link of the invoice, even if the link no longer works. */
  pay_link_id: string | null;
}

/** The members of an invoice that decide to which statuses it may go. */
export type InvoiceState = Pick<
  InvoiceRow,
  'status' | 'paid_cents' | 'released_at' | 'viewed_at' | 'sent_at'
>;

export function lockInvoices(tx: Transaction, refs: RecordRef[]): Promise<Map<string, InvoiceRow>> {
  return lockRecords<InvoiceRow>(tx, 'invoices', refs);
}

export function toInvoiceHistory(row: InvoiceState): InvoiceHistory {
  return {
    status: row.status,
    isReleased: row.released_at !== null,
    isDelivered: row.viewed_at !== null || row.sent_at !== null,
  };
}

/**
 * Returns a 409 error for a transition that is not allowed.
 * @param reason why a guard forbids the transition; undefined if the table forbids it
 */
export function refuseInvoiceMove(
  row: InvoiceState,
  to: MoveTarget | string,
  reason?: string,
): CommandOutcome {
  const allowed = listAllowedActions(toInvoiceHistory(row), row.paid_cents > 0);
  return failedOutcome({
    code: 'invalid_status_transition',
    message: reason ?? `An invoice cannot go from ${row.status} to ${to} by this request.`,
    details: [{ field: 'status', from: row.status, to, allowed, ...(reason ? { reason } : {}) }],
  });
}

/** The facts that the guards check, besides the invoice's row. */
export interface MoveFacts {
  command: Command;
  mover: Mover;
  lineCount: number;
  /**
   * True if only a signed-in person may approve the invoice. The request must then have If-Match
   * with the version that the person saw.
   */
  isPersonRequired: boolean;
}

/**
 * Returns the error of the guard that forbids the transition, or undefined (docs/decisions.md §3).
 * The caller has checked that the table allows the transition.
 */
export function checkMoveGuards(
  row: InvoiceRow,
  to: MoveTarget,
  { command, lineCount, isPersonRequired }: MoveFacts,
): CommandOutcome | undefined {
  if (to === 'void' && row.paid_cents > 0) {
    return refuseInvoiceMove(row, to, 'Money is paid on this invoice. Refund it first, then void it.');
  }
  if (to === 'cancelled' && row.paid_cents > 0) {
    return refuseInvoiceMove(row, to, 'Money is paid on this invoice. Refund it first, then cancel it.');
  }
  if (to !== 'approved') return undefined;
  if (lineCount === 0) return refuseInvoiceMove(row, to, 'An invoice without line items cannot be approved.');
  if (!row.customer_id && !row.billing_email) {
    return refuseInvoiceMove(row, to, 'There is nobody to bill: set customer_id or billing_email first.');
  }
  return isPersonRequired ? checkPersonApproval(row, command) : undefined;
}

/**
 * Returns a 409 error if the actor is not a signed-in person, or a 428 error if the request has no
 * If-Match.
 */
function checkPersonApproval(row: InvoiceRow, { actor, ifMatch }: Command): CommandOutcome | undefined {
  if (actor.type !== 'user') {
    return refuseInvoiceMove(
      row,
      'approved',
      'An agent created, priced or re-addressed this invoice, so only a signed-in person may approve it.',
    );
  }
  if (ifMatch) return undefined;
  const message = 'An agent created, priced or re-addressed this invoice: approving it requires If-Match';
  return failedOutcome({
    code: 'precondition_required',
    message: `${message}. Read the invoice, and send the ETag of what you saw.`,
    details: [{ field: 'If-Match', code: 'required', message }],
  });
}

export function mayMove(row: InvoiceState, to: MoveTarget, mover: Mover): boolean {
  return listAllowedMoves(toInvoiceHistory(row), mover).includes(to);
}

export function applyMove(
  row: InvoiceRow,
  to: InvoiceStatus,
  { now, reason }: { now: string; reason?: string | undefined },
): { row: InvoiceRow; changes: Change[] } {
  const isRelease = to === 'sending' || to === 'sent_to_roadsync';
  const moved: InvoiceRow = {
    ...row,
    status: to,
    status_reason: reason ?? null,
    released_at: isRelease ? (row.released_at ?? now) : row.released_at,
    released_as: isRelease ? to : row.released_as,
    viewed_at: to === 'viewed' ? (row.viewed_at ?? now) : row.viewed_at,
  };
  const changes: Change[] = [{ field: 'status', from: row.status, to }];
  if (reason !== undefined) changes.push({ field: 'status_reason', from: row.status_reason, to: reason });
  return { row: moved, changes };
}

const LIFECYCLE_COLUMNS = `status text, status_reason text, released_at timestamptz, released_as text, viewed_at timestamptz, sent_at timestamptz,
  paid_at timestamptz, delivery_state text, paid_cents bigint`;
const LIFECYCLE_NAMES = parseColumnNames(LIFECYCLE_COLUMNS);

/**
 * Stores the statuses and paid amounts of invoices, and updates the billing status of their work
 * orders. Cancels approvals that are no longer needed, and closes pay links that ask for more than
 * is owed. Withdraws the claims of void invoices at their billing partners. Also stores the
 * operations that enter the invoices in the account's books. The caller must have locked the rows.
 * @param released the ids of the invoices that this transaction releases, or whose correction ends
 *   with its payment. Their lines may differ from an earlier release, so the worker enters them in
 *   the books again
 */
export async function storeLifecycle(
  tx: Transaction,
  rows: InvoiceRow[],
  released: ReadonlySet<string> = new Set(),
): Promise<void> {
  if (rows.length === 0) return;
  const update = tx.query({
    name: 'move-invoices',
    text: `update invoices t set ${LIFECYCLE_NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${LIFECYCLE_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
  const workOrders = rows.flatMap((row) =>
    row.work_order_id ? [{ tenant_id: row.tenant_id, id: row.work_order_id }] : [],
  );
  await Promise.all([
    update,
    refreshBillingStatus(tx, workOrders),
    cancelOpenApprovals(tx, rows),
    closeOutdatedPayLinks(tx, rows),
    withdrawAnnulledClaims(tx, rows),
    bookInvoices(
      tx,
      rows.map((row) => ({ ...row, is_changed: released.has(row.id) })),
    ),
  ]);
}

/** Stores the newest pay link of each invoice. The caller must have locked the invoices. */
export async function setPayLinks(
  tx: Transaction,
  links: readonly { tenant_id: string; id: string; invoice_id: string }[],
): Promise<void> {
  if (links.length === 0) return;
  await tx.query({
    name: 'set-pay-links',
    text: `update invoices i set pay_link_id = r.id from ${recordsetSql('tenant_id uuid, id uuid, invoice_id uuid')}
           where i.tenant_id = r.tenant_id and i.id = r.invoice_id`,
    values: [JSON.stringify(links)],
  });
}

/**
 * Returns the number of line items by invoice id. Invoices without line items are not in the map.
 */
export async function countLineItems(tx: Transaction, refs: RecordRef[]): Promise<Map<string, number>> {
  if (refs.length === 0) return new Map();
  const rows = await tx.query<{ id: string; count: number }>({
    name: 'count-invoice-lines',
    text: `select l.invoice_id as id, count(*)::int as count from ${recordsetSql('tenant_id uuid, id uuid')}
           join invoice_line_items l on l.tenant_id = r.tenant_id and l.invoice_id = r.id group by l.invoice_id`,
    values: [JSON.stringify(refs)],
  });
  return new Map(rows.map((row) => [row.id, row.count]));
}
