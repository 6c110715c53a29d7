import { defineCommand } from '../../contracts/command.js';
import type {
  InvoiceAction,
  InvoiceCreate,
  InvoiceDraft,
  InvoicePatch,
  InvoiceReason,
  InvoiceSend,
} from '../../contracts/generated.js';
import { agentConflictKeys } from '../../records/agent-locks.js';
import { isPricedFromRateCard } from './is-priced-from-rate-card.js';
import {
  invoiceAction,
  invoiceCreate,
  invoiceDraft,
  invoicePatch,
  invoiceReason,
  invoiceSend,
} from './schema.js';
import type { InvoiceStatus } from './transitions.js';

/** Setting one of these statuses needs the permission `approve` (docs/decisions.md §6). */
const APPROVER_STATUSES: readonly InvoiceStatus[] = ['approved', 'sending', 'void'];

export const createInvoice = defineCommand<InvoiceCreate>({
  type: 'invoice.create',
  action: 'invoice.created',
  creates: true,
  schema: invoiceCreate,
  permission: 'write',
  agentScope: 'write_invoices_draft',
  conflictKeys: (input, actor) => {
    const keys = [`invoice_number:${input.invoice_number.toLowerCase()}`, ...agentConflictKeys(actor)];
    // Commands for the same work order must not run concurrently. Otherwise each would miss the
    // other's invoice, and the rate card would charge the work twice.
    return isPricedFromRateCard(input) ? [...keys, `job_price:${input.work_order_id}`] : keys;
  },
});

/**
 * Creates a draft with the account's next invoice number (docs/specification.md §4.2,
 * create_invoice_draft).
 */
export const draftInvoice = defineCommand<InvoiceDraft>({
  type: 'invoice.draft',
  action: 'invoice.created',
  creates: true,
  schema: invoiceDraft,
  permission: 'write',
  agentScope: 'write_invoices_draft',
  conflictKeys: ({ work_order_id }, actor) => [`job_price:${work_order_id}`, ...agentConflictKeys(actor)],
});

export const updateInvoice = defineCommand<InvoicePatch>({
  type: 'invoice.update',
  action: 'invoice.updated',
  schema: invoicePatch,
  permission: 'write',
  permissionFor: ({ status }) => (APPROVER_STATUSES.includes(status as InvoiceStatus) ? 'approve' : 'write'),
  agentScope: 'write_invoices_draft',
  conflictKeys: (_input, actor) => agentConflictKeys(actor),
});

// The commands below name no agent scope, because no agent may cause the status `approved` or a
// later one (docs/decisions.md §3).

export const approveInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.approve',
  action: 'invoice.approved',
  schema: invoiceAction,
  permission: 'approve',
});

export const sendInvoice = defineCommand<InvoiceSend>({
  type: 'invoice.send',
  action: 'invoice.sent',
  schema: invoiceSend,
  permission: 'approve',
});

export const returnInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.return',
  action: 'invoice.returned',
  schema: invoiceAction,
  permission: 'write',
});

export const disputeInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.dispute',
  action: 'invoice.disputed',
  schema: invoiceReason,
  permission: 'write',
});

export const resolveInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.resolve',
  action: 'invoice.resolved',
  schema: invoiceAction,
  permission: 'approve',
});

export const cancelInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.cancel',
  action: 'invoice.cancelled',
  schema: invoiceReason,
  permission: 'write',
});

export const voidInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.void',
  action: 'invoice.voided',
  schema: invoiceReason,
  permission: 'approve',
});

/** Only the clock submits this command. */
export const markInvoiceOverdue = defineCommand<InvoiceAction>({
  type: 'invoice.mark_overdue',
  action: 'invoice.overdue_marked',
  schema: invoiceAction,
  permission: 'admin',
});

/** The public invoice page submits this command. */
export const markInvoiceViewed = defineCommand<InvoiceAction>({
  type: 'invoice.mark_viewed',
  action: 'invoice.viewed',
  schema: invoiceAction,
  permission: 'admin',
});
