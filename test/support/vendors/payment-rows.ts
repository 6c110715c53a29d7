import { newId } from '../../../shared/platform/ids.js';
import type { TestStack } from '../stack.js';

/**
 * These texts follow `insert into`. The resulting queries insert rows that a payments vendor would
 * cause. `$1` is the tenant, `$2` the row's id, `$3` the invoice, `$4` the payment and `$5` a text.
 * `$6` is the id of a payment method that autopay can use.
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
  `saved_methods (tenant_id, id, customer_id, connection_id, status, error)
   select $1, $2, i.customer_id, $2, 'failed', $5 from invoices i where i.tenant_id = $1 and i.id = $3`,
  `saved_methods (tenant_id, id, customer_id, connection_id, status, error)
   select $1, $6, i.customer_id, $2, 'active', $5 from invoices i where i.tenant_id = $1 and i.id = $3`,
  `autopay_attempts (tenant_id, id, invoice_id, payment_method_id, connection_id, attempt, amount_cents, status, failure_reason)
   values ($1, $2, $3, $2, $2, 1 + (random() * 1e9)::integer, 100, 'failed', $5)`,
  `payouts (tenant_id, id, connection_id, provider_payout_id, amount_cents, status, arrival_date, failure_reason, items_status,
     are_items_ready, observed_at, created_at)
   values ($1, $2, $2, 'po_1', 100, 'failed', '2026-01-31', $5, 'complete', true, now(), now())`,
  `payout_items (tenant_id, id, payout_id, connection_id, provider_item_id, type, amount_cents, fee_cents, net_cents, description, created_at)
   select $1, case name when 'txn_1' then $2 else gen_random_uuid() end, $2, $2, name, 'payment', 100, 3, 97, $5, now()
   from unnest(array['txn_1', 'txn_2']) as name`,
  `text_consents (tenant_id, id, phone_key, number, state, source) values ($1, $2, $2::uuid::text, $5, 'opted_out', 'person')`,
];

/** The kinds of the inserted records, without the connection. */
const KINDS = [
  'pay_link',
  'refund',
  'dispute',
  'saved_method',
  'autopay_attempt',
  'terminal_reader',
  'terminal_payment',
  'payout',
  'payout_item',
  'text_consent',
] as const;

/**
 * Inserts a payments connection, and one record of each of {@link KINDS}. Also inserts a second
 * item of the payout, and a second payment method, which can be charged. All these records have the
 * same id. The result has this id under each kind, and under `reader` for bodies with a
 * `reader_id`. The dispute still accepts evidence, because its deadline is a day away.
 */
export async function storePaymentRows(
  stack: TestStack,
  tenantId: string,
  { invoice, payment, text }: { invoice: string; payment: string; text: string },
): Promise<Record<(typeof KINDS)[number] | 'reader' | 'payment_method', string>> {
  const id = newId();
  const methodId = newId();
  const values = [tenantId, id, invoice, payment, text, methodId];
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
  const ids = Object.fromEntries(KINDS.map((kind) => [kind, id])) as Record<(typeof KINDS)[number], string>;
  return { ...ids, reader: id, payment_method: methodId };
}
