import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { insertOperations } from '../../sync/operation-rows.js';
import type { AUTOPAY_ATTEMPT_STATUSES } from './enums.js';

/** The kind of the outbound operations that charge saved payment methods. */
export const AUTOPAY_KIND = 'autopay_attempt';

/** The columns of an attempt that are stored when it starts. */
export interface NewAttemptRow extends RecordRef {
  invoice_id: string;
  payment_method_id: string;
  /** Null in a sandbox that pretends the charge. */
  connection_id: string | null;
  attempt: number;
  amount_cents: number;
  status: (typeof AUTOPAY_ATTEMPT_STATUSES)[number];
  decline_code: string | null;
  failure_reason: string | null;
}

export interface AutopayAttemptRow extends Row, NewAttemptRow {
  provider_payment_id: string | null;
  next_attempt_at: string | null;
}

const COLUMNS = `tenant_id uuid, id uuid, invoice_id uuid, payment_method_id uuid, connection_id uuid, attempt integer, amount_cents bigint,
  status text, decline_code text, failure_reason text`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/**
 * Stores new attempts. Also stores the operations with which the worker makes the charges. Attempts
 * that have already failed get no operation.
 */
export async function insertAutopayAttempts(tx: Transaction, rows: readonly NewAttemptRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert-autopay-attempts',
    text: `insert into autopay_attempts (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
  await insertOperations(
    tx,
    rows.flatMap(({ tenant_id, id: local_id, connection_id, status }) =>
      status === 'charging' && connection_id !== null
        ? [{ tenant_id, connection_id, kind: AUTOPAY_KIND, local_id, verb: 'charge', is_creation: true }]
        : [],
    ),
  );
}

const CHANGED = `status text, provider_payment_id text, decline_code text, failure_reason text, next_attempt_at timestamptz`;

/** Stores changed rows. The caller has locked them. */
export async function storeAutopayAttempts(
  tx: Transaction,
  rows: readonly AutopayAttemptRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const set = parseColumnNames(CHANGED).map((name) => `${name} = r.${name}`);
  await tx.query({
    name: 'store-autopay-attempts',
    text: `update autopay_attempts t set ${set.join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${CHANGED}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** Facts about an invoice's attempts and its other payments. */
export interface InvoiceAttempts extends RecordRef {
  attempts: number;
  /**
   * True while an attempt has no result yet, or while a card reader asks a customer to pay the
   * invoice.
   */
  is_open: boolean;
  /** The sum of the bank debits that are still processing. */
  processing_cents: number;
}

/** @param refs the ids of invoices that the caller has locked */
export async function readInvoiceAttempts(
  tx: Transaction,
  refs: readonly RecordRef[],
): Promise<InvoiceAttempts[]> {
  return tx.query<InvoiceAttempts>({
    name: 'read-invoice-attempts',
    text: `select r.tenant_id, r.id, coalesce(a.attempts, 0)::int as attempts, coalesce(a.is_open, false) or exists (select from terminal_payments d
               where d.tenant_id = r.tenant_id and d.invoice_id = r.id and d.status in ('waiting', 'processing')) as is_open,
             coalesce(p.cents, 0)::float8 as processing_cents
           from ${recordsetSql('tenant_id uuid, id uuid')}
           left join lateral (select max(a.attempt) as attempts, bool_or(a.status in ('charging', 'processing')) as is_open
             from autopay_attempts a where a.tenant_id = r.tenant_id and a.invoice_id = r.id) a on true
           left join lateral (select sum(p.amount_cents) as cents from payments p
             where p.tenant_id = r.tenant_id and p.invoice_id = r.id and p.status = 'processing') p on true`,
    values: [JSON.stringify(refs)],
  });
}

/** @returns the status of the connection of each payment method, by {@link refKey} */
export async function readConnectionStatuses(
  tx: Transaction,
  methods: readonly (RecordRef & { connection_id: string | null })[],
): Promise<Map<string, string>> {
  if (methods.length === 0) return new Map();
  const rows = await tx.query<RecordRef & { status: string }>({
    name: 'read-connections-of-methods',
    text: `select r.tenant_id, r.id, c.status from ${recordsetSql('tenant_id uuid, id uuid, connection_id uuid')}
           join connections c on c.tenant_id = r.tenant_id and c.id = r.connection_id`,
    values: [
      JSON.stringify(methods.map(({ tenant_id, id, connection_id }) => ({ tenant_id, id, connection_id }))),
    ],
  });
  return new Map(rows.map((row) => [refKey(row), row.status]));
}

/**
 * For each attempt, counts the failed attempts to charge the same invoice to the same payment
 * method.
 * @returns the counts by the `refKey` of the attempt
 */
export async function countFailures(
  tx: Transaction,
  attempts: readonly RecordRef[],
): Promise<Map<string, number>> {
  const rows = await tx.query<RecordRef & { failures: number }>({
    name: 'count-failed-attempts',
    text: `select a.tenant_id, a.id, count(f.id)::int as failures from ${recordsetSql('tenant_id uuid, id uuid')}
           join autopay_attempts a on a.tenant_id = r.tenant_id and a.id = r.id
           left join autopay_attempts f on f.tenant_id = a.tenant_id and f.invoice_id = a.invoice_id
             and f.payment_method_id = a.payment_method_id and f.status = 'failed'
           group by 1, 2`,
    values: [JSON.stringify(attempts)],
  });
  return new Map(rows.map((row) => [refKey(row), row.failures]));
}
