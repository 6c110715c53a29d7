import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { DisputeEvidenceCreate } from '../../contracts/generated.js';
import { disputeEvidenceCreate } from './schema.js';

export const sendDisputeEvidence = defineCommand<DisputeEvidenceCreate>({
  type: 'dispute.send_evidence',
  action: 'dispute.contested',
  schema: disputeEvidenceCreate,
  permission: 'approve',
});

/** A payments vendor's report about one dispute. */
export interface DisputeReport {
  provider_dispute_id: string;
  /** The vendor's id of the disputed payment. */
  provider_payment_id: string;
  amount_cents: number;
  reason: string;
  status: 'open' | 'won' | 'lost';
  respond_by: string | null;
  /** True if the dispute is a returned bank debit. */
  is_return: boolean;
  /** RFC 3339: the time at which the worker read the dispute at the vendor. */
  observed_at: string;
}

/** Records a dispute as its vendor reports it. The integrations worker submits this command. */
export const recordDispute = defineCommand<DisputeReport>({
  type: 'dispute.record',
  action: 'dispute.recorded',
  schema: Joi.object({
    provider_dispute_id: Joi.string().required(),
    provider_payment_id: Joi.string().required(),
    amount_cents: Joi.number().required(),
    reason: Joi.string().required(),
    status: Joi.string().required(),
    respond_by: Joi.string().allow(null).required(),
    is_return: Joi.boolean().required(),
    observed_at: Joi.string().required(),
  }),
  permission: 'write',
});
