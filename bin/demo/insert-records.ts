import { chargedDays } from '../../shared/billing/storage-days.js';
import type { SqlQuery, Transaction } from '../../shared/platform/postgres/database.js';
import type { DemoRecords } from './records/records.js';

const OWN_TENANTS = `any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])`;

/**
 * Sets `released_at` of each released invoice to its sent_at, or else to its created_at. Sets
 * `viewed_at` of each viewed invoice to its sent_at.
 */
const SET_RELEASE_TIMES: SqlQuery = {
  text: `update invoices set released_at = coalesce(sent_at, created_at),
           released_as = case when status = 'sent_to_roadsync' then 'sent_to_roadsync' else 'sending' end,
           viewed_at = case when status in ('viewed', 'partially_paid', 'paid') then sent_at end
         where tenant_id = ${OWN_TENANTS} and status not in ('draft', 'needs_review', 'approved', 'cancelled')`,
};

/**
 * Sets the number of storage days that each impound charges, counted up to `updated_at`. In a
 * released impound, `updated_at` is the release time. In any other impound, it is the end of the
 * demo's period.
 */
const SET_STORAGE_DAYS: SqlQuery = {
  text: `update impounds i set accrued_days = ${chargedDays('i', 'i.updated_at')} from tenants t
         where i.tenant_id = ${OWN_TENANTS} and t.tenant_id = i.tenant_id`,
};

/**
 * Inserts all records with one query per table, and sends all queries together. The tenants must
 * exist.
 */
export async function insertDemoRecords(tx: Transaction, records: readonly DemoRecords[]): Promise<void> {
  const [first] = records;
  const tables = Object.keys(first ?? {}) as (keyof DemoRecords)[];
  await Promise.all([
    ...tables.map((table) =>
      insertRows(
        tx,
        table,
        records.flatMap((part): readonly object[] => part[table]),
      ),
    ),
    tx.query(SET_RELEASE_TIMES),
    tx.query(SET_STORAGE_DAYS),
  ]);
}

/** Inserts rows into a table. All rows must have the same members, whose names are the columns. */
export async function insertRows(tx: Transaction, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  await tx.query({
    text: `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    values: [JSON.stringify(rows)],
  });
}
