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

/** Only a key with the permission `approve` may set these statuses (docs/decisions.md §6). */
const APPROVER_STATUSES: readonly InvoiceStatus[] = ['approved', 'sending', 'void'];

export const createInvoice = defineCommand<InvoiceCreate>({
  type: 'invoice.create',
  entityType: 'invoice',
  action: 'invoice.created',
  creates: true,
  schema: invoiceCreate,
  permission: 'write',
  agentScope: 'write_invoices_draft',
  conflictKeys: (input, actor) => {
    const keys = [`invoice_number:${input.invoice_number.toLowerCase()}`, ...agentConflictKeys(actor)];
    // Pricing from the rate card charges only what no other invoice of the work order charges, so
    // two such commands must not run concurrently.
    return isPricedFromRateCard(input) ? [...keys, `job_price:${input.work_order_id}`] : keys;
  },
});

/**
 * The draft gets the account's next invoice number (docs/specification.md §4.2,
 * create_invoice_draft).
 */
export const draftInvoice = defineCommand<InvoiceDraft>({
  type: 'invoice.draft',
  entityType: 'invoice',
  action: 'invoice.created',
  creates: true,
  schema: invoiceDraft,
  permission: 'write',
  agentScope: 'write_invoices_draft',
  conflictKeys: ({ work_order_id }, actor) => [`job_price:${work_order_id}`, ...agentConflictKeys(actor)],
});

export const updateInvoice = defineCommand<InvoicePatch>({
  type: 'invoice.update',
  entityType: 'invoice',
  action: 'invoice.updated',
  creates: false,
  schema: invoicePatch,
  permission: 'write',
  permissionFor: ({ status }) => (APPROVER_STATUSES.includes(status as InvoiceStatus) ? 'approve' : 'write'),
  agentScope: 'write_invoices_draft',
  conflictKeys: (_input, actor) => agentConflictKeys(actor),
});

export const approveInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.approve',
  entityType: 'invoice',
  action: 'invoice.approved',
  creates: false,
  schema: invoiceAction,
  permission: 'approve',
  // Here and below: no agent may cause the status approved or a later one (docs/decisions.md §3).
  agentScope: null,
});

export const sendInvoice = defineCommand<InvoiceSend>({
  type: 'invoice.send',
  entityType: 'invoice',
  action: 'invoice.sent',
  creates: false,
  schema: invoiceSend,
  permission: 'approve',
  agentScope: null,
});

export const returnInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.return',
  entityType: 'invoice',
  action: 'invoice.returned',
  creates: false,
  schema: invoiceAction,
  permission: 'write',
  agentScope: null,
});

export const disputeInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.dispute',
  entityType: 'invoice',
  action: 'invoice.disputed',
  creates: false,
  schema: invoiceReason,
  permission: 'write',
  agentScope: null,
});

export const resolveInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.resolve',
  entityType: 'invoice',
  action: 'invoice.resolved',
  creates: false,
  schema: invoiceAction,
  permission: 'approve',
  agentScope: null,
});

export const cancelInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.cancel',
  entityType: 'invoice',
  action: 'invoice.cancelled',
  creates: false,
  schema: invoiceReason,
  permission: 'write',
  agentScope: null,
});

export const voidInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.void',
  entityType: 'invoice',
  action: 'invoice.voided',
  creates: false,
  schema: invoiceReason,
  permission: 'approve',
  agentScope: null,
});

/** Only the clock submits this command. */
export const markInvoiceOverdue = defineCommand<InvoiceAction>({
  type: 'invoice.mark_overdue',
  entityType: 'invoice',
  action: 'invoice.overdue_marked',
  creates: false,
  schema: invoiceAction,
  permission: 'admin',
  agentScope: null,
});

/** The public invoice page submits this command. */
export const markInvoiceViewed = defineCommand<InvoiceAction>({
  type: 'invoice.mark_viewed',
  entityType: 'invoice',
  action: 'invoice.viewed',
  creates: false,
  schema: invoiceAction,
  permission: 'admin',
  agentScope: null,
});
