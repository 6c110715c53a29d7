import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../../../records/record-refs.js';

/** All SQL that writes the state of comparisons of months with the books. */

interface Ref {
  tenantId: string;
  connectionId: string;
}

/** The sums of one side of a month. `credited_cents` is null if the vendor does not say it. */
export interface Sums {
  invoices: number;
  invoiced_cents: number;
  paid_cents: number;
  credited_cents: number | null;
}

/** The sums of both sides of a month, as far as they were read. */
export interface MonthSums {
  ours?: Sums;
  theirs?: Sums;
  /** The number of drafts in the books. */
  drafts?: number;
  differences?: number;
}

/** The page at which a comparison continues. */
export interface Place {
  /** First the invoices in the books are read, then ours. */
  side: 'theirs' | 'ours';
  after: string | null;
  /** The number of pages of this side that were read before. */
  pages: number;
}

export interface Reconciliation {
  id: string;
  /** The first days of the first month, and of the month after the last one: YYYY-MM-DD. */
  from: string;
  until: string;
  months: Record<string, MonthSums>;
  differences: number;
  omitted: number;
  startedAt: string;
  /** Null for the first page. */
  place: Place | null;
  /** The number of failed tries to read this page. */
  failures: number;
}

/** Starts a comparison. It replaces the last one of the connection, also a running one. */
export async function startReconciliation(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query({
    name: 'delete-book-differences',
    text: 'delete from book_differences where tenant_id = $1 and connection_id = $2',
    values: [tenantId, connectionId],
  });
  await tx.query({
    name: 'start-book-reconciliation',
    text: `insert into book_reconciliations as t (tenant_id, connection_id, id, from_month, to_month, next_at)
           values ($1, $2, $3, ($4 || '-01')::date, ($5 || '-01')::date, now())
           on conflict (tenant_id, connection_id) do update set id = excluded.id, from_month = excluded.from_month,
             to_month = excluded.to_month, status = 'running', months = '{}', differences = 0, omitted = 0,
             started_at = now(), ended_at = null, place = null, next_at = now(), failures = 0, last_error = null`,
    values: [tenantId, connectionId, newId(), from, to],
  });
}

const SELECT = `select r.id, to_char(r.from_month, 'YYYY-MM-DD') as from, to_char(r.to_month + interval '1 month', 'YYYY-MM-DD') as until,
  r.months, r.differences, r.omitted, r.place, r.failures, to_json(r.started_at)#>>'{}' as "startedAt"
  from book_reconciliations r where r.tenant_id = $1 and r.connection_id = $2 and r.status = 'running'`;

/** Finds the comparison of a connection of which a page is due. */
export async function findDueReconciliation(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
): Promise<Reconciliation | undefined> {
  const [row] = await tx.query<Reconciliation>({
    name: 'find-due-book-reconciliation',
    text: `${SELECT} and r.next_at <= now()`,
    values: [tenantId, connectionId],
  });
  return row;
}

/** Locks a comparison. Returns undefined if it has ended, or if another one has replaced it. */
export async function lockReconciliation(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  id: string,
): Promise<Reconciliation | undefined> {
  const [row] = await tx.query<Reconciliation>({
    name: 'lock-book-reconciliation',
    text: `${SELECT} and r.id = $3 for update`,
    values: [tenantId, connectionId, id],
  });
  return row;
}

/** Stores the sums and counts after a page, and the page to read next. */
export async function storeReconciliationPage(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  {
    reconciliation: { id, months, differences, omitted },
    next,
  }: { reconciliation: Reconciliation; next: Place },
): Promise<void> {
  await tx.query({
    name: 'store-book-reconciliation',
    text: `update book_reconciliations set months = $4, differences = $5, omitted = $6, place = $7, failures = 0, last_error = null,
             next_at = now()
           where tenant_id = $1 and connection_id = $2 and id = $3`,
    values: [tenantId, connectionId, id, JSON.stringify(months), differences, omitted, JSON.stringify(next)],
  });
}

/** Stores that a page could not be read. It is due again after that time. */
export async function storeReconciliationFailure(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  { id, failures, error, inMs }: { id: string; failures: number; error: string; inMs: number },
): Promise<void> {
  await tx.query({
    name: 'store-book-reconciliation-failure',
    text: `update book_reconciliations set failures = $4, last_error = $5, next_at = now() + $6::float8 * interval '1 ms'
           where tenant_id = $1 and connection_id = $2 and id = $3 and status = 'running'`,
    values: [tenantId, connectionId, id, failures, error, inMs],
  });
}

/**
 * Ends the running comparisons of connections. {@link seenInvoiceSweep} then deletes which invoices
 * they have seen.
 * @param error the reason why they failed; null if both sides were read
 */
export async function endReconciliations(
  tx: Transaction,
  connections: readonly RecordRef[],
  { error }: { error: string | null },
): Promise<void> {
  if (connections.length === 0) return;
  await tx.query({
    name: 'end-book-reconciliations',
    text: `update book_reconciliations t set status = case when $2::text is null then 'complete' else 'failed' end, last_error = $2,
             ended_at = now(), place = null, next_at = null
           from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.connection_id = r.id and t.status = 'running'`,
    values: [JSON.stringify(connections), error],
  });
}
