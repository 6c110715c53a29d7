import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { ApprovalApprove, ApprovalPropose, ApprovalReject } from '../../contracts/generated.js';
import { approvalApprove, approvalPropose, approvalReject } from './schema.js';

/** Asks a person to approve an invoice. Usually an agent submits this command. */
export const proposeApproval = defineCommand<ApprovalPropose>({
  type: 'approval.propose',
  action: 'approval.proposed',
  creates: true,
  schema: approvalPropose,
  permission: 'write',
  agentScope: 'propose_approvals',
  // Keeps this command and a status change of the invoice from running concurrently.
  conflictKeys: ({ invoice_id }) => [`entity:${invoice_id}`],
});

/** The rights that a decision needs. Only a signed-in person decides (docs/decisions.md §7). */
const decision = {
  permission: 'approve',
  isPersonOnly: true,
} as const;

export const approveApproval = defineCommand<ApprovalApprove>({
  ...decision,
  type: 'approval.approve',
  action: 'approval.approved',
  schema: approvalApprove,
});

export const rejectApproval = defineCommand<ApprovalReject>({
  ...decision,
  type: 'approval.reject',
  action: 'approval.rejected',
  schema: approvalReject,
});

/** Only the clock submits this command. */
export const expireApproval = defineCommand<Record<string, never>>({
  type: 'approval.expire',
  action: 'approval.expired',
  schema: Joi.object({}),
  permission: 'admin',
});
