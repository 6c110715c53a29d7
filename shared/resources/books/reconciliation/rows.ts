import { RECONCILIATION_STREAM } from '../../../integrations/contract/vendor.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { recordsetSql } from '../../../records/record-refs.js';
import { makeStreamsDue, requireStream } from '../../../sync/stream-rows.js';
import type { DifferenceCode } from './codes.js';

/** All SQL that writes the comparisons of months with the books. */

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
  differences?: number;
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
}

/** A difference of one connection. More are only counted. */
const MAX_DIFFERENCES = 5_000;

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
    text: `insert into book_reconciliations as t (tenant_id, connection_id, id, from_month, to_month)
           values ($1, $2, $3, ($4 || '-01')::date, ($5 || '-01')::date)
           on conflict (tenant_id, connection_id) do update set id = excluded.id, from_month = excluded.from_month,
             to_month = excluded.to_month, status = 'running', months = '{}', differences = 0, omitted = 0,
             started_at = now(), ended_at = null`,
    values: [tenantId, connectionId, newId(), from, to],
  });
  await requireStream(tx, { tenantId, connectionId }, RECONCILIATION_STREAM);
  await makeStreamsDue(tx, [{ tenant_id: tenantId, id: connectionId, stream: RECONCILIATION_STREAM }]);
}

/** Locks the running comparison of a connection. Returns undefined if none runs. */
export async function lockRunningReconciliation(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
): Promise<Reconciliation | undefined> {
  const [row] = await tx.query<Reconciliation>({
    name: 'lock-book-reconciliation',
    text: `select r.id, to_char(r.from_month, 'YYYY-MM-DD') as from, to_char(r.to_month + interval '1 month', 'YYYY-MM-DD') as until,
             r.months, r.differences, r.omitted, to_json(r.started_at)#>>'{}' as "startedAt"
           from book_reconciliations r where r.tenant_id = $1 and r.connection_id = $2 and r.status = 'running' for update`,
    values: [tenantId, connectionId],
  });
  return row;
}

export interface NewBookDifference {
  code: DifferenceCode;
  month: string | null;
  invoice_id: string | null;
  external_id: string | null;
  invoice_number: string | null;
  message: string;
  ours: object | null;
  theirs: object | null;
}

/** Stores the result of one page: the sums so far, and the new differences. */
export async function storeReconciliationPage(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  {
    reconciliation: { id, months, differences, omitted },
    news,
    isLast,
  }: { reconciliation: Reconciliation; news: readonly NewBookDifference[]; isLast: boolean },
): Promise<void> {
  const room = Math.max(0, MAX_DIFFERENCES - (differences - omitted));
  const stored = news.slice(0, room);
  for (const { month } of news) {
    if (month === null) continue;
    const { differences: before = 0, ...sums } = months[month] ?? {};
    months[month] = { ...sums, differences: before + 1 };
  }
  await insertDifferences(tx, { tenantId, connectionId }, stored);
  await tx.query({
    name: 'store-book-reconciliation',
    text: `update book_reconciliations set months = $4, differences = $5, omitted = $6,
             status = case when $7 then 'complete' else status end, ended_at = case when $7 then now() end
           where tenant_id = $1 and connection_id = $2 and id = $3`,
    values: [
      tenantId,
      connectionId,
      id,
      JSON.stringify(months),
      differences + news.length,
      omitted + news.length - stored.length,
      isLast,
    ],
  });
}

const COLUMNS = `id uuid, month text, code text, invoice_id uuid, external_id text, invoice_number text, message text,
  ours jsonb, theirs jsonb`;

async function insertDifferences(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  differences: readonly NewBookDifference[],
): Promise<void> {
  if (differences.length === 0) return;
  await tx.query({
    name: 'insert-book-differences',
    text: `insert into book_differences (tenant_id, connection_id, id, month, code, invoice_id, external_id, invoice_number,
             message, ours, theirs)
           select $2, $3, id, (month || '-01')::date, code, invoice_id, external_id, invoice_number, message, ours, theirs
           from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(differences.map((one) => ({ id: newId(), ...one }))), tenantId, connectionId],
  });
}
