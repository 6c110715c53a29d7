import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { cents, uuid } from '../../contracts/schemas/fields.js';
import { type Field, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { IS_SAME_ACCOUNT_SQL } from '../../sync/same-account.js';
import { date } from '../rate-cards/fields.js';

export const payoutStatus = namedEnum(
  'PayoutStatus',
  ['pending', 'in_transit', 'paid', 'failed', 'canceled'],
  {
    pending: 'The vendor has not sent the money yet',
    in_transit: 'The money is on its way to the bank',
    paid: 'The vendor counts it as arrived. It may still fail some days later',
    failed: 'The bank returned it; `failure_reason` says why',
    canceled: 'It was canceled before the vendor sent it',
  },
);

export const payoutItemsStatus = namedEnum('PayoutItemsStatus', ['pending', 'complete', 'unavailable'], {
  pending: 'The vendor still decides what the payout contains, or not all of it is read',
  complete: 'All items are read',
  unavailable: 'The vendor does not say what it contains, as with payouts that a person started by hand',
});

export const payoutItemType = namedEnum('PayoutItemType', ['payment', 'refund', 'dispute', 'fee', 'other'], {
  payment: 'A payment of a customer',
  refund: 'A refund, or a refund that came back',
  dispute: 'What a bank took back, or returned after a won dispute',
  fee: 'A fee that the vendor charged apart from payments',
  other: 'Anything else at the vendor, such as an adjustment of the balance',
});

export const payoutFields = defineFields({
  id: recordId(),
  connection_id: { output: uuid() },
  provider_payout_id: {
    output: Joi.string().example('po_1Q').description("The vendor's id of the payout"),
  },
  amount_cents: {
    output: cents().example(96_120).description('What the bank gets; negative if the vendor collects money'),
  },
  fee_cents: {
    output: cents()
      .allow(null)
      .example(3_880)
      .description('The fees of everything that it contains; null until its items are complete'),
  },
  status: { output: payoutStatus },
  arrival_date: { output: date().description('The day on which the vendor expects it at the bank') },
  failure_reason: { output: Joi.string().allow(null).example(null) },
  items_status: { output: payoutItemsStatus },
  created_at: time(),
  updated_at: time(),
});

/**
 * Returns the SQL that finds our record by the vendor's id. The query runs whenever a client reads
 * the item, so an item that was stored before its payment later shows the payment. The payment may
 * belong to an earlier connection to the same vendor account.
 */
const findOurs = (kind: string, table: string, external: string) => (alias: string) =>
  `(select o.id from connections me join connections c on ${IS_SAME_ACCOUNT_SQL}
    join external_ids x on x.tenant_id = c.tenant_id and x.connection_id = c.id and x.kind = '${kind}'
    join ${table} o on o.tenant_id = x.tenant_id and o.id = x.local_id
    where me.tenant_id = ${alias}.tenant_id and me.id = ${alias}.connection_id and x.external_id = ${alias}.${external} limit 1)`;

const ours = (sql: (alias: string) => string): Field => ({ output: uuid().allow(null), sql, columns: null });

export const payoutItemFields = defineFields({
  id: recordId(),
  payout_id: { output: uuid() },
  type: { output: payoutItemType },
  amount_cents: { output: cents().example(12_500).description('Negative if money left') },
  fee_cents: { output: cents().example(393) },
  net_cents: { output: cents().example(12_107).description('The amount without the fee') },
  payment_id: ours(findOurs('payment', 'payments', 'provider_payment_id')),
  refund_id: ours(findOurs('refund', 'refunds', 'provider_source_id')),
  dispute_id: ours(findOurs('dispute', 'disputes', 'provider_source_id')),
  invoice_id: ours(
    (alias) =>
      `(select p.invoice_id from connections me join connections c on ${IS_SAME_ACCOUNT_SQL}
        join payments p on p.tenant_id = c.tenant_id and p.connection_id = c.id
        where me.tenant_id = ${alias}.tenant_id and me.id = ${alias}.connection_id
          and p.provider_payment_id = ${alias}.provider_payment_id limit 1)`,
  ),
  provider_item_id: {
    output: Joi.string().example('txn_1Q').description("The vendor's id of the transaction"),
  },
  description: { output: Joi.string().allow(null).example('Invoice INV-7 of Hudson Towing') },
  created_at: time(),
});
