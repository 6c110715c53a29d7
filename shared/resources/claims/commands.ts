import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type {
  ClaimAction,
  ClaimCreate,
  ClaimOutcome,
  ClaimPatch,
  ClaimWithdraw,
} from '../../contracts/generated.js';
import { claimAction, claimCreate, claimOutcome, claimPatch, claimWithdraw } from './schema.js';

export const createClaim = defineCommand<ClaimCreate>({
  type: 'claim.create',
  action: 'claim.created',
  creates: true,
  schema: claimCreate,
  permission: 'write',
  conflictKeys: ({ invoice_id }) => [`claim_of:${invoice_id}`],
});

export const updateClaim = defineCommand<ClaimPatch>({
  type: 'claim.update',
  action: 'claim.updated',
  schema: claimPatch,
  permission: 'write',
});

// Submitting a claim sends the invoice to the motor club. The command therefore requires the
// permission `approve`, as sending an invoice does.
export const submitClaim = defineCommand<ClaimAction>({
  type: 'claim.submit',
  action: 'claim.submitted',
  schema: claimAction,
  permission: 'approve',
});

export const rebillClaim = defineCommand<ClaimAction>({
  type: 'claim.rebill',
  action: 'claim.rebilled',
  schema: claimAction,
  permission: 'approve',
});

export const withdrawClaim = defineCommand<ClaimWithdraw>({
  type: 'claim.withdraw',
  // The names of audit actions must end in -ed, so `claim.withdrawn` is not possible.
  action: 'claim.withdrawal_recorded',
  schema: claimWithdraw,
  permission: 'write',
});

/**
 * Records the motor club's response. A person or the billing partner's adapter submits this
 * command.
 */
export const recordClaimOutcome = defineCommand<ClaimOutcome>({
  type: 'claim.outcome',
  action: 'claim.answered',
  schema: claimOutcome,
  permission: 'write',
});

/** Only the clock submits this command. */
export const expireClaim = defineCommand<ClaimAction>({
  type: 'claim.expire',
  action: 'claim.expired',
  schema: claimAction,
  permission: 'admin',
});

/** What a billing partner reports about one attempt of a claim. */
export interface ClaimReport {
  /** Null if the partner does not show which attempt it is. */
  attempt: number | null;
  /**
   * `sent`: the partner has taken the attempt. `not_sent`: the worker gave it up. `withdrawn`: the
   * partner no longer asks for the invoice, because it was voided here.
   */
  state: 'sent' | 'not_sent' | 'accepted' | 'paid' | 'denied' | 'withdrawn';
  /** The amount that was sent, or all that was paid so far. */
  amount_cents?: number;
  code?: string | null;
  reason?: string | null;
  reference?: string | null;
}

/** Records what a billing partner reports. The integrations worker submits this command. */
export const recordClaimReport = defineCommand<ClaimReport>({
  type: 'claim.report',
  action: 'claim.reported',
  schema: Joi.object({
    attempt: Joi.number().allow(null).required(),
    state: Joi.string().required(),
    amount_cents: Joi.number(),
    code: Joi.string().allow(null),
    reason: Joi.string().allow(null),
    reference: Joi.string().allow(null),
  }),
  permission: 'admin',
});
