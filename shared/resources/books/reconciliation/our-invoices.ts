import type { Transaction } from '../../../platform/postgres/database.js';
import { hasConnectionSql } from '../../../sync/operation-rows.js';
import { BOOKED_PAYMENT_KIND, INVOICE_KIND } from '../kinds.js';
import { BOOKED_DAY_SQL } from '../queries.js';
import { CORRECTED } from '../store.js';

interface Books {
  tenantId: string;
  connectionId: string;
  /** Earlier connections to the same books. */
  earlierIds: readonly string[];
}

/** Our side of an invoice in a comparison with the books. */
export interface ComparedInvoice {
  id: string;
  invoice_number: string;
  status: string;
  day: string;
  total_cents: number;
  paid_cents: number;
  /** The id in the books; null if the invoice is not linked to a record there. */
  external_id: string | null;
  /**
   * Whether a write of the invoice or of its payments waits, or has reached the books since the
   * comparison began; null if neither.
   */
  write: 'waiting' | 'written' | null;
  /** The reason why the last write waits or was given up. */
  reason: string | null;
}

/**
 * The books of a connection are `$2`, and those of the earlier ones too. The time is `$3`. The
 * writes are aggregates, so that PostgreSQL looks them up record by record: an `exists` or a join
 * may read all writes that wait (measured: 5 s for a page of 100 while 50,000 wait).
 */
const FACTS = `i.id, i.invoice_number, i.status, ${BOOKED_DAY_SQL} as day, i.total_cents::float8 as total_cents,
  i.paid_cents::float8 as paid_cents, least(${findWriteSql(INVOICE_KIND, 'i.id')}, (
    select min(${findWriteSql(BOOKED_PAYMENT_KIND, 'p.id')}) from payments p
    where p.tenant_id = i.tenant_id and p.invoice_id = i.id)) as write,
  (select o.last_error from outbound_operations o where ${ofRecordSql(INVOICE_KIND, 'i.id')}
    order by o.id desc limit 1) as reason`;

/** The texts sort so that a write that waits comes first. */
function findWriteSql(kind: string, record: string): string {
  return `(select min(case when o.next_at is not null then 'waiting' when o.state = 'done' and o.updated_at >= $3 then 'written' end)
    from outbound_operations o where ${ofRecordSql(kind, record)})`;
}

function ofRecordSql(kind: string, record: string): string {
  return `o.tenant_id = i.tenant_id and ${hasConnectionSql('o', '$2[1]')} and o.kind = '${kind}' and o.local_id = ${record}`;
}

/** The comparison is `$4`. */
const IS_MATCHED = `(select count(*) > 0 from compared_book_invoices m where m.tenant_id = i.tenant_id and m.connection_id = $2[1]
  and m.invoice_id = i.id and m.reconciliation_id = $4)`;

const LINK = `select x.local_id, x.external_id from external_ids x
  where x.tenant_id = $1 and x.connection_id = any($2::uuid[]) and x.kind = '${INVOICE_KIND}'`;

/** A comparison that has begun at that time. */
interface Comparison {
  id: string;
  startedAt: string;
}

export interface ListedRecord {
  externalId: string;
  /** The id of our invoice that the record names. */
  invoiceId: string | null;
  number: string | null;
}

/**
 * Finds our invoices of records in the books: by their ids there, by our id, or by their number.
 * @returns a map from the ids in the books. `isMatched` is true if the comparison has found the
 *   invoice in the books before
 */
export async function findComparedInvoices(
  tx: Transaction,
  { tenantId, connectionId, earlierIds }: Books,
  { records, comparison }: { records: readonly ListedRecord[]; comparison: Comparison },
): Promise<Map<string, { invoice: ComparedInvoice; isMatched: boolean }>> {
  const rows = await tx.query<ComparedInvoice & { key: string; is_matched: boolean; id: string | null }>({
    name: 'find-compared-invoices',
    // The outer joins keep PostgreSQL from beginning with all invoices of the account.
    text: `select r."externalId" as key, l.external_id, ${FACTS}, ${IS_MATCHED} as is_matched
           from json_to_recordset($5::json) as r("externalId" text, "invoiceId" uuid, number text)
           left join lateral (${LINK} and x.external_id = r."externalId" order by x.connection_id desc limit 1) x on true
           left join lateral (
             select f.id from (
               select x.local_id as id, 1 as rank
               union all select m.id, 2 from invoices m where m.tenant_id = $1 and m.id = r."invoiceId"
               union all select n.id, 3 from invoices n where n.tenant_id = $1 and n.invoice_number = r.number) f
             where f.id is not null order by f.rank limit 1) f on true
           left join invoices i on i.tenant_id = $1 and i.id = f.id
           left join tenants t on t.tenant_id = i.tenant_id
           left join lateral (${LINK} and x.local_id = i.id order by x.connection_id desc limit 1) l on true`,
    values: [
      tenantId,
      [connectionId, ...earlierIds],
      comparison.startedAt,
      comparison.id,
      JSON.stringify(records),
    ],
  });
  const found = rows.filter(({ id }) => id !== null);
  return new Map(found.map(({ key, is_matched: isMatched, ...invoice }) => [key, { invoice, isMatched }]));
}

/** Sorts before the id of every invoice. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The statuses of invoices that are not owed: not issued yet, or not any more. */
const UNISSUED: readonly string[] = [...CORRECTED, 'void', 'cancelled'];

/**
 * Reads a page of the issued invoices of a period, by their ids.
 * @returns `is_matched` is true if the comparison has found the invoice in the books
 */
export async function listIssuedInvoices(
  tx: Transaction,
  { tenantId, connectionId, earlierIds }: Books,
  {
    comparison: { id, startedAt, from, until },
    after,
    limit,
  }: { comparison: Comparison & { from: string; until: string }; after: string | null; limit: number },
): Promise<(ComparedInvoice & { is_matched: boolean })[]> {
  return tx.query({
    name: 'list-issued-invoices',
    text: `select x.external_id, ${FACTS}, ${IS_MATCHED} as is_matched
           from invoices i join tenants t on t.tenant_id = i.tenant_id
           left join lateral (${LINK} and x.local_id = i.id order by x.connection_id desc limit 1) x on true
           where i.tenant_id = $1 and i.id > $7 and not i.status = any($8::text[])
             and coalesce(i.service_date, i.released_at, i.created_at) >= $5::date::timestamp at time zone t.time_zone
             and coalesce(i.service_date, i.released_at, i.created_at) < $6::date::timestamp at time zone t.time_zone
           order by i.id limit $9`,
    values: [
      tenantId,
      [connectionId, ...earlierIds],
      startedAt,
      id,
      from,
      until,
      after ?? FIRST_ID,
      UNISSUED,
      limit,
    ],
  });
}

export function isIssued({ status }: ComparedInvoice): boolean {
  return !UNISSUED.includes(status);
}
