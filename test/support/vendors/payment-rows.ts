import { newId } from '../../../shared/platform/ids.js';
import type { TestStack } from '../stack.js';

/**
 * These texts follow `insert into`. The resulting queries insert rows that a payments vendor would
 * cause. `$1` is the tenant, `$2` the row's id, `$3` the invoice, `$4` the payment and `$5` a text.
 */
const INSERTS = [
  `connections (tenant_id, id, vendor, kind, label, status, environment, webhook_url, external_account)
   select $1, $2, 'stripe', 'payments', $5, 'active', environment, 'x', $2::uuid::text from tenants where tenant_id = $1`,
  'connection_queues (tenant_id, connection_id) values ($1, $2)',
  `pay_links (tenant_id, id, invoice_id, connection_id, amount_cents, status, error) values ($1, $2, $3, $2, 100, 'failed', $5)`,
  `terminal_readers (tenant_id, id, connection_id, external_id, label, status, observed_at)
   values ($1, $2, $2, 'tmr_1', $5, 'online', now())`,
  `terminal_payments (tenant_id, id, invoice_id, reader_id, connection_id, amount_cents, status, failure_reason, expires_at)
   values ($1, $2, $3, gen_random_uuid(), $2, 100, 'waiting', $5, now())`,
  'refunds (tenant_id, id, payment_id, amount_cents, reason) values ($1, $2, $4, 1, $5)',
  `disputes (tenant_id, id, payment_id, invoice_id, connection_id, provider_dispute_id, amount_cents, reason, status, observed_at)
   values ($1, $2, $4, $3, $2, 'dp_1', 100, $5, 'open', now())`,
  `text_consents (tenant_id, id, phone_key, number, state, source) values ($1, $2, $2::uuid::text, $5, 'opted_out', 'person')`,
];

type StoredKind =
  | 'pay_link'
  | 'terminal_reader'
  | 'reader'
  | 'terminal_payment'
  | 'refund'
  | 'dispute'
  | 'text_consent';

/**
 * Inserts a payments connection, a pay link, an idle card reader, a payment on another reader, a
 * refund, a dispute and a text consent. All have the same id. Returns this id under the name of
 * each kind but the connection, and under `reader` for bodies with a `reader_id`. The dispute still
 * accepts evidence, because its deadline is a day away.
 */
export async function storePaymentRows(
  stack: TestStack,
  tenantId: string,
  { invoice, payment, text }: { invoice: string; payment: string; text: string },
): Promise<Record<StoredKind, string>> {
  const id = newId();
  const values = [tenantId, id, invoice, payment, text];
  for (const insert of INSERTS) {
    const used = values.filter((_, index) => insert.includes(`$${index + 1}`));
    const renumbered = values.reduce(
      (sql, value, index) => sql.replaceAll(`$${index + 1}`, `$<${used.indexOf(value) + 1}>`),
      insert,
    );
    await stack.rows(tenantId, `insert into ${renumbered.replace(/\$<(\d)>/g, '$$$1')}`, used);
  }
  const until = "update disputes set respond_by = now() + interval '1 day' where tenant_id = $1";
  await stack.rows(tenantId, until, [tenantId]);
  return {
    pay_link: id,
    terminal_reader: id,
    reader: id,
    terminal_payment: id,
    refund: id,
    dispute: id,
    text_consent: id,
  };
}
