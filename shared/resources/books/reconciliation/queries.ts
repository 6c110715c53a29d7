import type { Database } from '../../../platform/postgres/database.js';
import { defineList } from '../../../records/lists/define-list.js';
import { bookDifferenceFields } from './fields.js';
import type { MonthSums, Sums } from './rows.js';

interface Row {
  status: string | null;
  from: string;
  to: string;
  months: Record<string, MonthSums>;
  differences: number;
  omitted: number;
  error: string | null;
  started_at: string;
  ended_at: string | null;
}

const NOTHING: Sums = { invoices: 0, invoiced_cents: 0, paid_cents: 0, credited_cents: 0 };

/**
 * Reads the last comparison of a connection with its books. Returns undefined if the account has no
 * such connection, or has never compared its books.
 */
export async function readReconciliation(
  db: Database,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<object | undefined> {
  const [row] = await db.read<Row>(tenantId, {
    name: 'read-book-reconciliation',
    text: `select r.status, to_char(r.from_month, 'YYYY-MM') as from, to_char(r.to_month, 'YYYY-MM') as to, r.months, r.differences,
             r.omitted, r.last_error as error, to_json(r.started_at)#>>'{}' as started_at, to_json(r.ended_at)#>>'{}' as ended_at
           from book_reconciliations r where r.tenant_id = $1 and r.connection_id = $2`,
    values: [tenantId, connectionId],
  });
  if (!row) return undefined;
  const { status, from, to, months, differences, omitted, error, started_at, ended_at } = row;
  return {
    connection_id: connectionId,
    status,
    from,
    to,
    months: listMonths(from, to).map((month) => ({
      month,
      ours: months[month]?.ours ?? NOTHING,
      theirs: months[month]?.theirs ?? NOTHING,
      drafts: months[month]?.drafts ?? 0,
      differences: months[month]?.differences ?? 0,
    })),
    differences,
    omitted,
    error,
    started_at: toUtc(started_at),
    ended_at: ended_at && toUtc(ended_at),
  };
}

const toUtc = (time: string): string => new Date(time).toISOString();

/** Lists months from the first to the last one, each as YYYY-MM. */
export function listMonths(from: string, to: string): string[] {
  const count = toNumber(to) - toNumber(from) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, nth) => {
    const month = toNumber(from) + nth;
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
  });
}

function toNumber(month: string): number {
  const [years, months] = month.split('-').map(Number) as [number, number];
  return years * 12 + months - 1;
}

/** Lists the differences that the last comparison of a connection has found. */
export const listBookDifferences = defineList<{ connection_id?: string; limit: number; cursor?: string }>({
  table: 'book_differences',
  fields: bookDifferenceFields,
  filters: ['connection_id'],
});
