import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { recordsetSql } from '../../../records/record-refs.js';
import type { DifferenceCode } from './codes.js';
import type { Reconciliation } from './rows.js';

/** All SQL that writes what comparisons with the books have seen and found. */

interface Ref {
  tenantId: string;
  connectionId: string;
}

/** A difference of one connection. More are only counted. */
const MAX_DIFFERENCES = 5_000;

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

const COLUMNS = `id uuid, month text, code text, invoice_id uuid, external_id text, invoice_number text, message text,
  ours jsonb, theirs jsonb`;

/** Stores differences, and counts them in the comparison and its months. */
export async function storeDifferences(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  { reconciliation, news }: { reconciliation: Reconciliation; news: readonly NewBookDifference[] },
): Promise<void> {
  if (news.length === 0) return;
  const { months, differences, omitted } = reconciliation;
  for (const { month } of news) {
    if (month === null) continue;
    const { differences: before = 0, ...sums } = months[month] ?? {};
    months[month] = { ...sums, differences: before + 1 };
  }
  const stored = news.slice(0, Math.max(0, MAX_DIFFERENCES - (differences - omitted)));
  reconciliation.differences += news.length;
  reconciliation.omitted += news.length - stored.length;
  await tx.query({
    name: 'insert-book-differences',
    text: `insert into book_differences (tenant_id, connection_id, id, month, code, invoice_id, external_id, invoice_number,
             message, ours, theirs)
           select $2, $3, id, (month || '-01')::date, code, invoice_id, external_id, invoice_number, message, ours, theirs
           from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(stored.map((one) => ({ id: newId(), ...one }))), tenantId, connectionId],
  });
}

/** An invoice in the books, and ours that it is. */
export interface SeenInvoice {
  externalId: string;
  invoiceId: string | null;
}

/**
 * Records which invoices in the books a comparison has seen.
 * @returns the ids in the books of those that it has not seen before
 */
export async function markSeen(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  { reconciliation: { id }, seen }: { reconciliation: Reconciliation; seen: readonly SeenInvoice[] },
): Promise<Set<string>> {
  const rows = await tx.query<{ external_id: string }>({
    name: 'mark-seen-book-invoices',
    // The rows of an earlier comparison that was replaced are overwritten.
    text: `insert into compared_book_invoices as t (tenant_id, connection_id, reconciliation_id, external_id, invoice_id)
           select $2, $3, $4, r."externalId", r."invoiceId" from ${recordsetSql('"externalId" text, "invoiceId" uuid')}
           on conflict (tenant_id, connection_id, external_id) do update set reconciliation_id = excluded.reconciliation_id,
             invoice_id = excluded.invoice_id
           where t.reconciliation_id <> excluded.reconciliation_id
           returning t.external_id`,
    values: [JSON.stringify(seen), tenantId, connectionId, id],
  });
  return new Set(rows.map(({ external_id }) => external_id));
}
