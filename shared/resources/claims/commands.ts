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

// Requires `approve`, like sending an invoice, because the invoice leaves the account.
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
  // Audit actions end in -ed.
  action: 'claim.withdrawal_recorded',
  schema: claimWithdraw,
  permission: 'write',
});

/** A person or the partner's adapter records the club's response. */
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
