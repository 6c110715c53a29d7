import { defineCommand } from '../../contracts/command.js';
import type { InvoiceCreate, InvoicePatch } from '../../contracts/generated.js';
import { invoiceCreate, invoicePatch } from './schema.js';

export const createInvoice = defineCommand<InvoiceCreate>({
  type: 'invoice.create',
  entityType: 'invoice',
  action: 'invoice.created',
  creates: true,
  schema: invoiceCreate,
  permission: 'write',
  agentScope: 'write_invoices_draft',
  conflictKeys: (input) => [`invoice_number:${input.invoice_number.toLowerCase()}`],
});

export const updateInvoice = defineCommand<InvoicePatch>({
  type: 'invoice.update',
  entityType: 'invoice',
  action: 'invoice.updated',
  creates: false,
  schema: invoicePatch,
  permission: 'write',
  agentScope: 'write_invoices_draft',
});
