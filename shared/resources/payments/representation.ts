import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function paymentRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'invoice_id',
    'amount_cents',
    'method',
    jsonTime(alias, 'received_at'),
    'reference',
    'refunded_cents',
    { name: 'credit_cents', sql: `${alias}.amount_cents - ${alias}.refunded_cents - ${alias}.applied_cents` },
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}

/** @param alias has the members of a refund and the `invoice_id` of its payment */
export function refundRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'payment_id',
    'invoice_id',
    'amount_cents',
    'reason',
    jsonTime(alias, 'created_at'),
  ]);
}
