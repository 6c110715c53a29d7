import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { IS_SAME_ACCOUNT_SQL } from '../../sync/same-account.js';
import { bookPayments } from '../books/store.js';

export interface RefundablePayment extends Row, RecordRef {
  invoice_id: string;
  status: 'processing' | 'succeeded' | 'failed';
  amount_cents: number;
  applied_cents: number;
  refunded_cents: number;
  /** The connection to the vendor that took the payment; null if a person recorded it. */
  connection_id: string | null;
}

export interface NewRefund extends RecordRef {
  payment_id: string;
  amount_cents: number;
  reason: string;
  status: 'pending' | 'succeeded' | 'failed';
  connection_id: string | null;
  /** RFC 3339: the time at which a worker read the refund at the vendor. */
  observed_at?: string | null;
}

const COLUMNS =
  'tenant_id uuid, id uuid, payment_id uuid, amount_cents bigint, reason text, status text, connection_id uuid, observed_at timestamptz';
const NAMES = parseColumnNames(COLUMNS).join(', ');

export async function insertRefunds(tx: Transaction, refunds: readonly NewRefund[]): Promise<void> {
  if (refunds.length === 0) return;
  await tx.query({
    name: 'insert-refunds',
    text: `insert into refunds (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(refunds)],
  });
}

/** A vendor's report about a refund that is already stored. */
export interface RefundResult extends RecordRef {
  status: 'pending' | 'succeeded' | 'failed';
  failure_reason: string | null;
  observed_at: string;
}

export async function storeRefundResults(tx: Transaction, results: readonly RefundResult[]): Promise<void> {
  if (results.length === 0) return;
  await tx.query({
    name: 'store-refund-results',
    text: `update refunds t set status = r.status, failure_reason = r.failure_reason, observed_at = r.observed_at,
             updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, status text, failure_reason text, observed_at timestamptz')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(results)],
  });
}

/**
 * Stores the applied and the refunded amount of each payment. Also stores the operations that
 * change the payments in the account's books.
 */
export async function storeRefundedAmounts(
  tx: Transaction,
  payments: readonly RefundablePayment[],
): Promise<void> {
  if (payments.length === 0) return;
  await tx.query({
    name: 'refund-payments',
    text: `update payments t set applied_cents = r.applied_cents, refunded_cents = r.refunded_cents, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, applied_cents bigint, refunded_cents bigint')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(payments)],
  });
  await bookPayments(
    tx,
    payments.map(({ tenant_id, id }) => ({ tenant_id, id })),
  );
}

/**
 * Finds payments by their vendor's ids, also those that an earlier connection to the same vendor
 * account has recorded. The keys of the map have the form `{connection}/{vendor's id}`.
 */
export async function findVendorPayments(
  tx: Transaction,
  wanted: readonly { tenant_id: string; connection_id: string | null; provider_payment_id: string }[],
): Promise<Map<string, RecordRef>> {
  const rows = await tx.query<RecordRef & { connection_id: string; provider_payment_id: string }>({
    name: 'find-vendor-payments',
    text: `select p.tenant_id, p.id, r.connection_id, p.provider_payment_id
           from ${recordsetSql('tenant_id uuid, connection_id uuid, provider_payment_id text')}
           join connections me on me.tenant_id = r.tenant_id and me.id = r.connection_id
           join connections c on ${IS_SAME_ACCOUNT_SQL}
           join payments p on p.tenant_id = c.tenant_id and p.connection_id = c.id
             and p.provider_payment_id = r.provider_payment_id`,
    values: [JSON.stringify(wanted)],
  });
  return new Map(
    rows.map(({ tenant_id, id, connection_id, provider_payment_id }) => [
      `${connection_id}/${provider_payment_id}`,
      { tenant_id, id },
    ]),
  );
}
