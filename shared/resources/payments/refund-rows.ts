import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';

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
  /** RFC 3339: when a worker read the refund at the vendor. */
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

/** What a vendor reported about a refund that is stored. */
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

/** Stores how much of each payment is applied and refunded. */
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
}

/** Finds payments by their vendor's ids, as `{connection}/{vendor's id}` → payment. */
export async function findVendorPayments(
  tx: Transaction,
  wanted: readonly { tenant_id: string; connection_id: string | null; provider_payment_id: string }[],
): Promise<Map<string, RecordRef>> {
  const rows = await tx.query<RecordRef & { connection_id: string; provider_payment_id: string }>({
    name: 'find-vendor-payments',
    text: `select p.tenant_id, p.id, p.connection_id, p.provider_payment_id
           from ${recordsetSql('tenant_id uuid, connection_id uuid, provider_payment_id text')}
           join payments p on p.tenant_id = r.tenant_id and p.connection_id = r.connection_id
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
