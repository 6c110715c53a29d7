import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';

/** A payments vendor's report about one refund. */
export interface RefundReport {
  /**
   * The vendor's id of the refunded payment. Null if the refund is already stored in this service.
   */
  provider_payment_id: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  /** Null if the refund is already stored in this service. */
  amount_cents: number | null;
  failure_reason: string | null;
  /** RFC 3339: the time at which the worker read the refund at the vendor. */
  observed_at: string;
}

/** Records a refund as its vendor reports it. The integrations worker submits this command. */
export const recordRefund = defineCommand<RefundReport>({
  type: 'refund.record',
  action: 'refund.recorded',
  schema: Joi.object({
    provider_payment_id: Joi.string().allow(null).required(),
    status: Joi.string().required(),
    amount_cents: Joi.number().allow(null).required(),
    failure_reason: Joi.string().allow(null).required(),
    observed_at: Joi.string().required(),
  }),
  permission: 'approve',
});
