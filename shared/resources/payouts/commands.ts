import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';

/** A payments vendor's report about one payout. */
export interface PayoutReport {
  provider_payout_id: string;
  amount_cents: number;
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';
  /** A day, as YYYY-MM-DD. */
  arrival_date: string;
  failure_reason: string | null;
  /** Whether the vendor lists the payout's items: not yet, now, or never. */
  items: 'pending' | 'ready' | 'unavailable';
  /** RFC 3339: the time at which the vendor created the payout. */
  created_at: string;
  /** RFC 3339: the time at which the worker read the payout at the vendor. */
  observed_at: string;
}

/** Records a payout as its vendor reports it. The integrations worker submits this command. */
export const recordPayout = defineCommand<PayoutReport>({
  type: 'payout.record',
  action: 'payout.recorded',
  schema: Joi.object({
    provider_payout_id: Joi.string().required(),
    amount_cents: Joi.number().required(),
    status: Joi.string().required(),
    arrival_date: Joi.string().required(),
    failure_reason: Joi.string().allow(null).required(),
    items: Joi.string().required(),
    created_at: Joi.string().required(),
    observed_at: Joi.string().required(),
  }),
  permission: 'write',
});

export interface PayoutItemReport {
  provider_item_id: string;
  type: 'payment' | 'refund' | 'dispute' | 'fee' | 'other';
  amount_cents: number;
  fee_cents: number;
  description: string | null;
  provider_payment_id: string | null;
  provider_source_id: string | null;
  /** RFC 3339 */
  created_at: string;
}

/** One page of the items of a payout. */
export interface PayoutItemsReport {
  items: PayoutItemReport[];
  is_last: boolean;
}

/** Records a page of a payout's items. The integrations worker submits this command. */
export const recordPayoutItems = defineCommand<PayoutItemsReport>({
  type: 'payout.record_items',
  action: 'payout.items_recorded',
  schema: Joi.object({
    items: Joi.array().items(Joi.object().unknown()).required(),
    is_last: Joi.boolean().required(),
  }),
  permission: 'write',
});
