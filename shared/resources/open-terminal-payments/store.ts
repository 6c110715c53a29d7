import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { insertOperations } from '../../sync/operation-rows.js';

/*
 * The rows of terminal payments are written here and not in the folder `terminal-payments`, to
 * avoid an import cycle: `terminal-payments` imports `payments`, which imports this folder.
 */

/** The kind of the outbound operations that start and cancel a payment on a reader. */
export const TERMINAL_PAYMENT_KIND = 'terminal_payment';
/**
 * The kind of the outbound operations that check a reader repeatedly until the payment has ended.
 */
export const TERMINAL_CHECK_KIND = 'terminal_check';

/** SQL condition on terminal payments `t`: the payment has not ended. */
export const IS_OPEN_SQL = "t.status in ('waiting', 'processing')";

export interface NewTerminalPayment extends RecordRef {
  invoice_id: string;
  reader_id: string;
  /** Null if the sandbox pretends the payment. */
  connection_id: string | null;
  amount_cents: number;
  pretend_url: string | null;
  /** RFC 3339. */
  expires_at: string;
}

const COLUMNS = `tenant_id uuid, id uuid, invoice_id uuid, reader_id uuid, connection_id uuid, amount_cents bigint, pretend_url text,
  expires_at timestamptz`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/** Stores terminal payments, with the operations that start and check them at the vendor. */
export async function insertTerminalPayments(
  tx: Transaction,
  payments: readonly NewTerminalPayment[],
): Promise<void> {
  if (payments.length === 0) return;
  const insert = tx.query({
    name: 'insert-terminal-payments',
    text: `insert into terminal_payments (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(payments)],
  });
  const operations = payments.flatMap(({ tenant_id, id: local_id, connection_id }) =>
    connection_id === null
      ? []
      : [
          {
            tenant_id,
            connection_id,
            local_id,
            kind: TERMINAL_PAYMENT_KIND,
            verb: 'start',
            is_creation: true,
          },
          {
            tenant_id,
            connection_id,
            local_id,
            kind: TERMINAL_CHECK_KIND,
            verb: 'check',
            is_creation: false,
          },
        ],
  );
  await Promise.all([insert, insertOperations(tx, operations)]);
}

/** The result of a terminal payment. */
export interface TerminalResult extends RecordRef {
  status: 'processing' | 'succeeded' | 'failed' | 'cancelled';
  failure_reason: string | null;
  payment_id: string | null;
}

/**
 * Stores the results of terminal payments. An ended payment keeps its status, unless the vendor
 * reports that the customer has paid after all.
 */
export async function storeTerminalResults(
  tx: Transaction,
  results: readonly TerminalResult[],
): Promise<void> {
  if (results.length === 0) return;
  await tx.query({
    name: 'store-terminal-results',
    text: `update terminal_payments t set status = r.status, failure_reason = r.failure_reason,
             payment_id = coalesce(r.payment_id, t.payment_id), updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, status text, failure_reason text, payment_id uuid')}
           where t.tenant_id = r.tenant_id and t.id = r.id
             and (${IS_OPEN_SQL} or (r.status = 'succeeded' and t.status <> 'succeeded'))`,
    values: [JSON.stringify(results)],
  });
}

/**
 * Records that people have requested the cancellation of terminal payments. The worker then cancels
 * them at the vendor.
 */
export async function requestCancellations(
  tx: Transaction,
  payments: readonly (RecordRef & { connection_id: string | null })[],
): Promise<void> {
  if (payments.length === 0) return;
  await tx.query({
    name: 'request-terminal-cancellations',
    text: `update terminal_payments t set cancel_requested_at = coalesce(t.cancel_requested_at, now()),
             status = case when t.connection_id is null then 'cancelled' else t.status end, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(payments)],
  });
  await insertOperations(
    tx,
    payments.flatMap(({ tenant_id, id: local_id, connection_id }) =>
      connection_id === null
        ? []
        : [
            {
              tenant_id,
              connection_id,
              local_id,
              kind: TERMINAL_PAYMENT_KIND,
              verb: 'cancel',
              is_creation: false,
            },
          ],
    ),
  );
}
