import Joi from 'joi';
import type { ApprovalPropose } from '../../shared/contracts/generated.js';
import { proposeApproval } from '../../shared/resources/approvals/commands.js';
import { approval, approvalPropose } from '../../shared/resources/approvals/schema.js';
import { formatUsd } from '../text/format.js';
import { defineWriteTool } from './tool.js';

type Proposal = Omit<ApprovalPropose, 'kind'>;

export const proposeInvoiceApprovalTool = defineWriteTool<Proposal, ApprovalPropose>({
  name: 'propose_invoice_approval',
  title: 'Ask a person to approve an invoice',
  description:
    "Puts an approval request for a draft invoice (or one that needs review) into the operators' queue; it approves nothing itself, a signed-in person decides. `justification` is what that person reads: say what you checked. When you retry the same action, send the SAME idempotency_key.",
  scope: 'propose_approvals',
  entityType: 'approval',
  action: 'approval.proposed',
  command: proposeApproval,
  input: Joi.object({
    invoice_id: approvalPropose.extract('invoice_id'),
    justification: approvalPropose.extract('justification'),
  }),
  toCommand: (input) => ({ ...input, kind: 'invoice_approval' }),
  output: approval,
  summarize: ({ id, amount_cents, expires_at }) =>
    `Approval ${id} over ${formatUsd(amount_cents)} waits for a person until ${expires_at}. The invoice is unchanged.`,
  describePreview: ({ invoice_id, amount_cents }) =>
    `a request that a person approve invoice ${invoice_id} over ${formatUsd(amount_cents)}`,
});
