import type { Command } from '../../contracts/command.js';
import type { RecurringInvoiceCreate } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql, toRecordRef } from '../../records/record-refs.js';
import { recurringInvoiceFields } from './fields.js';
import type { RECURRING_INVOICE_STATUSES } from './vocabulary.js';

export interface RecurringInvoiceRow extends Row, RecordRef, Required<RecurringInvoiceCreate> {
  status: (typeof RECURRING_INVOICE_STATUSES)[number];
  next_date: string | null;
  last_date: string | null;
  last_invoice_id: string | null;
}

const STORED_COLUMNS = `tenant_id uuid, id uuid, ${recurringInvoiceFields.settable}, next_date date`;
const CHANGED_COLUMNS = `${recurringInvoiceFields.changeable}, next_date date, last_date date, last_invoice_id uuid`;

export async function insertRecurringInvoices(tx: Transaction, rows: object[]): Promise<void> {
  if (rows.length === 0) return;
  const names = parseColumnNames(STORED_COLUMNS).join(', ');
  await tx.query({
    name: 'insert-recurring-invoices',
    text: `insert into recurring_invoices (${names}) select ${names} from ${recordsetSql(STORED_COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

export function lockRecurringInvoices(
  tx: Transaction,
  commands: Command[],
): Promise<Map<string, RecurringInvoiceRow>> {
  return lockRecords<RecurringInvoiceRow>(tx, 'recurring_invoices', commands.map(toRecordRef));
}

/** Stores changed rows. The caller has locked them. */
export async function storeRecurringInvoices(tx: Transaction, rows: RecurringInvoiceRow[]): Promise<void> {
  if (rows.length === 0) return;
  const set = parseColumnNames(CHANGED_COLUMNS).map((name) => `${name} = r.${name}`);
  await tx.query({
    name: 'store-recurring-invoices',
    text: `update recurring_invoices t set ${set.join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${CHANGED_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** Returns the current date of each command's account, in the account's time zone. */
export async function findToday(tx: Transaction, commands: Command[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ tenant_id: string; today: string }>({
    name: 'today-of-accounts',
    text: `select tenant_id, (now() at time zone time_zone)::date::text as today from tenants where tenant_id = any($1::uuid[])`,
    values: [[...new Set(commands.map(({ tenantId }) => tenantId))]],
  });
  return new Map(rows.map(({ tenant_id, today }) => [tenant_id, today]));
}
