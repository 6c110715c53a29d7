import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';

/** One attempt to charge an invoice to a saved payment method. */
export interface NewAutopayAttempt {
  invoice_id: string;
  payment_method_id: string;
  /** The attempt's number within its invoice, from 1. */
  attempt: number;
}

/** Starts an attempt. The clock submits this command. */
export const startAutopayAttempt = defineCommand<NewAutopayAttempt>({
  type: 'autopay_attempt.create',
  action: 'autopay_attempt.started',
  creates: true,
  schema: Joi.object({
    invoice_id: Joi.string().required(),
    payment_method_id: Joi.string().required(),
    attempt: Joi.number().required(),
  }),
  permission: 'approve',
  conflictKeys: ({ invoice_id }) => [`entity:${invoice_id}`],
});

/** The result of an attempt. */
export interface AutopayReport {
  status: 'processing' | 'succeeded' | 'failed' | 'cancelled';
  provider_payment_id?: string | null;
  decline_code?: string | null;
  failure_reason?: string | null;
}

/** Records the result of an attempt. The integrations worker and the clock submit this command. */
export const recordAutopayAttempt = defineCommand<AutopayReport>({
  type: 'autopay_attempt.record',
  action: 'autopay_attempt.recorded',
  schema: Joi.object({
    status: Joi.string().required(),
    provider_payment_id: Joi.string().allow(null),
    decline_code: Joi.string().allow(null),
    failure_reason: Joi.string().allow(null),
  }),
  permission: 'approve',
});
