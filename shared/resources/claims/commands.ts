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
