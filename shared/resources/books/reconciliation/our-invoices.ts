import type { Transaction } from '../../../platform/postgres/database.js';
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
  /** True if a write waits, or if the invoice was changed after the comparison began. */
  is_waiting: boolean;
  /** The reason why the last write waits or was given up. */
  reason: string | null;
}

/**
 * The books of a connection are `$2`, and those of the earlier ones too. The time is `$3`. The
 * writes are aggregates, so that PostgreSQL looks them up record by record: an `exists` or a join
 * may read all writes that wait (measured: 5 s for a page of 100 while 50,000 wait).
 */
const FACTS = `i.id, i.invoice_number, i.status, ${BOOKED_DAY_SQL} as day, i.total_cents::float8 as total_cents,
  i.paid_cents::float8 as paid_cents, i.updated_at >= $3 or coalesce(${isWaitingSql(INVOICE_KIND, 'i.id')}, false) or coalesce((
    select bool_or(${isWaitingSql(BOOKED_PAYMENT_KIND, 'p.id')}) from payments p
    where p.tenant_id = i.tenant_id and p.invoice_id = i.id), false) as is_waiting,
  (select o.last_error from outbound_operations o where ${ofRecordSql(INVOICE_KIND, 'i.id')}
    order by o.id desc limit 1) as reason`;

function isWaitingSql(kind: string, record: string): string {
  return `(select bool_or(o.next_at is not null) from outbound_operations o where ${ofRecordSql(kind, record)})`;
}

function ofRecordSql(kind: string, record: string): string {
  return `o.tenant_id = i.tenant_id and o.connection_id = $2[1] and o.kind = '${kind}' and o.local_id = ${record}`;
}

const LINK = `select x.local_id, x.external_id, x.compared_at from external_ids x
  where x.tenant_id = $1 and x.connection_id = any($2::uuid[]) and x.kind = '${INVOICE_KIND}'`;

export interface ListedRecord {
  externalId: string;
  /** The id of our invoice that the record names. */
  invoiceId: string | null;
  number: string | null;
}

/**
 * Finds our invoices of records in the books: by their ids there, by our id, or by their number.
 * @returns a map from the ids in the books. `isSeen` is true for a record that an earlier page of
 *   this comparison has contained
 */
export async function findComparedInvoices(
  tx: Transaction,
  { tenantId, connectionId, earlierIds }: Books,
  { records, startedAt }: { records: readonly ListedRecord[]; startedAt: string },
): Promise<Map<string, { invoice: ComparedInvoice | undefined; isSeen: boolean }>> {
  const rows = await tx.query<ComparedInvoice & { key: string; is_seen: boolean; id: string | null }>({
    name: 'find-compared-invoices',
    text: `select r."externalId" as key, x.external_id, ${FACTS},
             coalesce(x.compared_at >= $3, false) or exists (select from book_differences d where d.tenant_id = $1
               and d.connection_id = $2[1] and d.external_id = r."externalId") as is_seen
           from json_to_recordset($4::json) as r("externalId" text, "invoiceId" uuid, number text)
           left join lateral (${LINK} and x.external_id = r."externalId" order by x.connection_id desc limit 1) x on true
           left join lateral (
             select f.id from (
               select x.local_id as id, 1 as rank
               union all select m.id, 2 from invoices m where m.tenant_id = $1 and m.id = r."invoiceId"
               union all select n.id, 3 from invoices n where n.tenant_id = $1 and n.invoice_number = r.number
                 and not exists (${LINK} and x.local_id = n.id)) f
             where f.id is not null order by f.rank limit 1) f on true
           left join invoices i on i.tenant_id = $1 and i.id = f.id
           left join tenants t on t.tenant_id = i.tenant_id`,
    values: [tenantId, [connectionId, ...earlierIds], startedAt, JSON.stringify(records)],
  });
  return new Map(
    rows.map(({ key, is_seen: isSeen, ...invoice }) => [
      key,
      { isSeen, invoice: invoice.id === null ? undefined : (invoice as ComparedInvoice) },
    ]),
  );
}

/** The statuses of invoices that are not owed: not issued yet, or not any more. */
const UNISSUED: readonly string[] = [...CORRECTED, 'void', 'cancelled'];

/**
 * Reads a page of the issued invoices of a period, by their ids.
 * @returns `isCompared` is true if the comparison has already found the invoice in the books, or
 *   has stored a difference of it
 */
export async function listIssuedInvoices(
  tx: Transaction,
  { tenantId, connectionId, earlierIds }: Books,
  place: { startedAt: string; from: string; until: string; after: string | null; limit: number },
): Promise<(ComparedInvoice & { is_compared: boolean })[]> {
  return tx.query({
    name: 'list-issued-invoices',
    text: `select x.external_id, ${FACTS},
             coalesce(x.compared_at >= $3, false) or exists (select from book_differences d where d.tenant_id = $1
               and d.connection_id = $2[1] and d.invoice_id = i.id) as is_compared
           from invoices i join tenants t on t.tenant_id = i.tenant_id
           left join lateral (${LINK} and x.local_id = i.id order by x.connection_id desc limit 1) x on true
           where i.tenant_id = $1 and ($6::uuid is null or i.id > $6) and not i.status = any($7::text[])
             and coalesce(i.service_date, i.released_at, i.created_at) >= $4::date::timestamp at time zone t.time_zone
             and coalesce(i.service_date, i.released_at, i.created_at) < $5::date::timestamp at time zone t.time_zone
           order by i.id limit $8`,
    values: [
      tenantId,
      [connectionId, ...earlierIds],
      place.startedAt,
      place.from,
      place.until,
      place.after,
      UNISSUED,
      place.limit,
    ],
  });
}

export function isIssued({ status }: ComparedInvoice): boolean {
  return !UNISSUED.includes(status);
}
