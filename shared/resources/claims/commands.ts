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
  entityType: 'claim',
  action: 'claim.created',
  creates: true,
  schema: claimCreate,
  permission: 'write',
  agentScope: null,
  conflictKeys: ({ invoice_id }) => [`claim_of:${invoice_id}`],
});

export const updateClaim = defineCommand<ClaimPatch>({
  type: 'claim.update',
  entityType: 'claim',
  action: 'claim.updated',
  creates: false,
  schema: claimPatch,
  permission: 'write',
  agentScope: null,
});

// Requires `approve`, like sending an invoice, because the invoice leaves the account.
export const submitClaim = defineCommand<ClaimAction>({
  type: 'claim.submit',
  entityType: 'claim',
  action: 'claim.submitted',
  creates: false,
  schema: claimAction,
  permission: 'approve',
  agentScope: null,
});

export const rebillClaim = defineCommand<ClaimAction>({
  type: 'claim.rebill',
  entityType: 'claim',
  action: 'claim.rebilled',
  creates: false,
  schema: claimAction,
  permission: 'approve',
  agentScope: null,
});

export const withdrawClaim = defineCommand<ClaimWithdraw>({
  type: 'claim.withdraw',
  entityType: 'claim',
  // Audit actions end in -ed.
  action: 'claim.withdrawal_recorded',
  creates: false,
  schema: claimWithdraw,
  permission: 'write',
  agentScope: null,
});

/** A person or the partner's adapter records the club's response. */
export const recordClaimOutcome = defineCommand<ClaimOutcome>({
  type: 'claim.outcome',
  entityType: 'claim',
  action: 'claim.answered',
  creates: false,
  schema: claimOutcome,
  permission: 'write',
  agentScope: null,
});

/** Only the clock submits this command. */
export const expireClaim = defineCommand<ClaimAction>({
  type: 'claim.expire',
  entityType: 'claim',
  action: 'claim.expired',
  creates: false,
  schema: claimAction,
  permission: 'admin',
  agentScope: null,
});
