import Joi from 'joi';
import type { InvoiceDraft, InvoiceListQuery } from '../../shared/contracts/generated.js';
import { uuid } from '../../shared/contracts/schemas/fields.js';
import { INVOICE_STATUSES } from '../../shared/contracts/vocabulary.js';
import { agentInvoiceListItem } from '../../shared/resources/invoices/agent-schema.js';
import { draftInvoice } from '../../shared/resources/invoices/commands.js';
import { invoiceFields } from '../../shared/resources/invoices/fields.js';
import { listAgentInvoices } from '../../shared/resources/invoices/queries.js';
import { invoiceDraft } from '../../shared/resources/invoices/schema.js';
import { readRecord } from '../resources/read-record.js';
import { countBy, formatUsd, quoteText } from '../text/format.js';
import { pageCursor, pageSize } from './fields.js';
import { defineListTool, defineReadTool, defineWriteTool } from './tool.js';

const invoiceEntity = { entityType: 'invoice' } as const;

export const listInvoicesTool = defineListTool<Pick<InvoiceListQuery, 'status' | 'limit' | 'cursor'>>({
  ...invoiceEntity,
  name: 'list_invoices',
  title: 'List invoices',
  description:
    "Lists the tow company's invoices, newest first: number, customer, status, money and dates. Filter by status: draft and needs_review wait for a person; approved is ready to send; sending, viewed and sent_to_roadsync (handed to the motor-club billing partner) are with the payer; overdue and disputed need attention. Money is in integer cents: total_cents includes tax, balance_due_cents is open. cursor is null on the last page. Use get_invoice for one invoice with its lines.",
  scope: 'read_invoices',
  action: 'invoice.listed',
  input: Joi.object({
    status: Joi.string().valid(...INVOICE_STATUSES),
    limit: pageSize(200),
    cursor: pageCursor(),
  }),
  output: agentInvoiceListItem,
  buildQuery: listAgentInvoices,
  summarize: (items) => countBy(items, 'status'),
  describeItem: ({ id, invoice_number, customer_name, status, total_cents, balance_due_cents }) =>
    [
      `${quoteText(invoice_number)} ${status}`,
      customer_name ? `for ${quoteText(customer_name)}` : 'without a customer',
      `total ${formatUsd(total_cents)}`,
      `open ${formatUsd(balance_due_cents)}`,
      `invoice ${id}`,
    ].join(', '),
});

export const getInvoiceTool = defineReadTool<{ invoice_id: string }>({
  ...invoiceEntity,
  name: 'get_invoice',
  title: 'Get one invoice',
  description:
    "Reads one invoice with its line items, totals, what is paid and what is open, all in integer cents. Needs the invoice's id (a UUID from list_invoices), not its invoice_number.",
  scope: 'read_invoices',
  action: 'invoice.read',
  input: Joi.object({ invoice_id: uuid().required().description('`id` from list_invoices') }),
  output: invoiceFields.response,
  getEntityId: ({ invoice_id }) => invoice_id,
  read: (mcp, caller, { invoice_id: id }) => readRecord(mcp, caller, { ...invoiceEntity, id }),
  summarize: ({ id, status, total_cents, balance_due_cents }) =>
    `Invoice ${id} is ${status}: total ${formatUsd(total_cents)}, open ${formatUsd(balance_due_cents)}.`,
});

export const createInvoiceDraftTool = defineWriteTool<InvoiceDraft, InvoiceDraft>({
  ...invoiceEntity,
  name: 'create_invoice_draft',
  title: 'Draft an invoice for a job',
  description:
    "Makes a draft invoice for a job (work order); it is never sent, a person approves and sends it. Leave line_items out to price a completed job from the customer's rate card; give them only when you were told the lines. Customer, vehicle and dates come from the job; the server computes totals, tax and the invoice number. Prices are integer cents: $125.00 is 12500. A draft that reaches the company's limit (often $1000.00 with tax, drafts of one job or one payer counted together) is held: pending_approval is true, nothing exists yet and a person has to approve; tell the person, do not split it. With dry_run the draft is shown under data and nothing is stored. When you retry the same action, send the SAME idempotency_key.",
  scope: 'write_invoices_draft',
  action: 'invoice.created',
  command: draftInvoice,
  input: invoiceDraft,
  toCommand: (input) => input,
  output: invoiceFields.response,
  summarize: ({ id, status, total_cents }) =>
    `Invoice ${id} is a ${status} of ${formatUsd(total_cents)}. It has not been sent to anyone. Use propose_invoice_approval to ask a person to approve it.`,
  describePreview: ({ status, total_cents }) =>
    `a ${status} invoice of ${formatUsd(total_cents)}; it would not be sent to anyone`,
});
