import { defineCommand } from '../../contracts/command.js';
import type {
  InvoiceAction,
  InvoiceCreate,
  InvoiceDraft,
  InvoicePatch,
  InvoiceReason,
  InvoiceSend,
} from '../../contracts/generated.js';
import { agentTurn } from '../approvals/agent-turns.js';
import { asksForPrice } from './asks-for-price.js';
import {
  invoiceAction,
  invoiceCreate,
  invoiceDraft,
  invoicePatch,
  invoiceReason,
  invoiceSend,
} from './schema.js';
import type { InvoiceStatus } from './transitions.js';

/** States that only a key with the permission approve may ask for (decisions 6). */
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
    const keys = [`invoice_number:${input.invoice_number.toLowerCase()}`, ...agentTurn(actor)];
    // What is priced from the card gets what no other invoice of the job has: the second must see the first.
    return asksForPrice(input) ? [...keys, `job_price:${input.work_order_id}`] : keys;
  },
});

/** An agent's: the next number of the account, for a job (specification section 4.2, create_invoice_draft). */
export const draftInvoice = defineCommand<InvoiceDraft>({
  type: 'invoice.draft',
  entityType: 'invoice',
  action: 'invoice.created',
  creates: true,
  schema: invoiceDraft,
  permission: 'write',
  agentScope: 'write_invoices_draft',
  conflictKeys: ({ work_order_id }, actor) => [`job_price:${work_order_id}`, ...agentTurn(actor)],
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
  conflictKeys: (_input, actor) => agentTurn(actor),
});

export const approveInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.approve',
  entityType: 'invoice',
  action: 'invoice.approved',
  creates: false,
  schema: invoiceAction,
  permission: 'approve',
  // Nothing an agent does can cause approved or later (decisions 3).
  agentScope: null,
});

export const sendInvoice = defineCommand<InvoiceSend>({
  type: 'invoice.send',
  entityType: 'invoice',
  action: 'invoice.sent',
  creates: false,
  schema: invoiceSend,
  permission: 'approve',
  // Nothing an agent does can cause approved or later (decisions 3).
  agentScope: null,
});

export const returnInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.return',
  entityType: 'invoice',
  action: 'invoice.returned',
  creates: false,
  schema: invoiceAction,
  permission: 'write',
  // Nothing an agent does can cause approved or later (decisions 3).
  agentScope: null,
});

export const disputeInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.dispute',
  entityType: 'invoice',
  action: 'invoice.disputed',
  creates: false,
  schema: invoiceReason,
  permission: 'write',
  // Nothing an agent does can cause approved or later (decisions 3).
  agentScope: null,
});

export const resolveInvoice = defineCommand<InvoiceAction>({
  type: 'invoice.resolve',
  entityType: 'invoice',
  action: 'invoice.resolved',
  creates: false,
  schema: invoiceAction,
  permission: 'approve',
  // Nothing an agent does can cause approved or later (decisions 3).
  agentScope: null,
});

export const cancelInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.cancel',
  entityType: 'invoice',
  action: 'invoice.cancelled',
  creates: false,
  schema: invoiceReason,
  permission: 'write',
  // Nothing an agent does can cause approved or later (decisions 3).
  agentScope: null,
});

export const voidInvoice = defineCommand<InvoiceReason>({
  type: 'invoice.void',
  entityType: 'invoice',
  action: 'invoice.voided',
  creates: false,
  schema: invoiceReason,
  permission: 'approve',
  // Nothing an agent does can cause approved or later (decisions 3).
  agentScope: null,
});

/** The clock's: the past-due threshold is crossed. */
export const markInvoiceOverdue = defineCommand<InvoiceAction>({
  type: 'invoice.mark_overdue',
  entityType: 'invoice',
  action: 'invoice.overdue_marked',
  creates: false,
  schema: invoiceAction,
  permission: 'admin',
  agentScope: null,
});

/** The public page's: the customer has seen the invoice. */
export const markInvoiceViewed = defineCommand<InvoiceAction>({
  type: 'invoice.mark_viewed',
  entityType: 'invoice',
  action: 'invoice.viewed',
  creates: false,
  schema: invoiceAction,
  permission: 'admin',
  agentScope: null,
});
