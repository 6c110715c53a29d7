import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { insertOperations } from '../../sync/operation-rows.js';
import type { SAVED_METHOD_STATUSES } from './enums.js';

/** The kind of the outbound operations that open pages for payment methods, or remove methods. */
export const SAVED_METHOD_KIND = 'saved_method';

export interface SavedMethodRow extends Row, RecordRef {
  customer_id: string;
  /** Null in a sandbox that pretends the method. */
  connection_id: string | null;
  status: (typeof SAVED_METHOD_STATUSES)[number];
  type: string | null;
  brand: string | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
  provider_customer_id: string | null;
  provider_method_id: string | null;
  observed_at: string | null;
  /** The month, as YYYY-MM, for which the expiry of the card was announced. */
  announced_expiry: string | null;
}

export interface NewMethodRow extends RecordRef {
  customer_id: string;
  connection_id: string | null;
  status: 'opening' | 'open';
  url: string | null;
  /** RFC 3339. */
  expires_at: string | null;
}

const NEW = `tenant_id uuid, id uuid, customer_id uuid, connection_id uuid, status text, url text, expires_at timestamptz`;
const NEW_NAMES = parseColumnNames(NEW).join(', ');

export async function insertSavedMethods(tx: Transaction, rows: readonly NewMethodRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert-saved-methods',
    text: `insert into saved_methods (${NEW_NAMES}) select ${NEW_NAMES} from ${recordsetSql(NEW)}`,
    values: [JSON.stringify(rows)],
  });
  await insertMethodOperations(tx, rows, 'open');
}

/**
 * Stores operations with which the worker opens the page of a payment method, or removes the method
 * at the vendor.
 */
export async function insertMethodOperations(
  tx: Transaction,
  rows: readonly (RecordRef & { connection_id: string | null })[],
  verb: 'open' | 'remove',
): Promise<void> {
  await insertOperations(
    tx,
    rows.flatMap(({ tenant_id, id: local_id, connection_id }) => {
      if (connection_id === null) return [];
      const is_creation = verb === 'open';
      return [{ tenant_id, connection_id, kind: SAVED_METHOD_KIND, local_id, verb, is_creation }];
    }),
  );
}

const CHANGED = `status text, type text, brand text, last4 text, exp_month integer, exp_year integer, url text, expires_at timestamptz,
  verification_url text, error text, provider_customer_id text, provider_method_id text, observed_at timestamptz, announced_expiry text`;

/** Stores changed rows. The caller has locked them. */
export async function storeSavedMethods(tx: Transaction, rows: readonly (RecordRef & Row)[]): Promise<void> {
  if (rows.length === 0) return;
  const set = parseColumnNames(CHANGED).map((name) => `${name} = r.${name}`);
  await tx.query({
    name: 'store-saved-methods',
    text: `update saved_methods t set ${set.join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${CHANGED}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** SQL condition: autopay uses payment method `m`. */
export const IS_USED_SQL = `(exists (select from customers c where c.tenant_id = m.tenant_id and c.id = m.customer_id
    and c.autopay->>'payment_method_id' = m.id::text)
  or exists (select from recurring_invoices r where r.tenant_id = m.tenant_id and r.customer_id = m.customer_id
    and r.status <> 'ended' and r.autopay->>'payment_method_id' = m.id::text))`;

/** @returns the keys ({@link refKey}) of the payment methods that autopay uses */
export async function findUsedMethods(tx: Transaction, refs: readonly RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-used-saved-methods',
    text: `select m.tenant_id, m.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join saved_methods m on m.tenant_id = r.tenant_id and m.id = r.id where ${IS_USED_SQL}`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}
