import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type {
  RecurringInvoiceCreate,
  RecurringInvoiceEnd,
  RecurringInvoicePatch,
} from '../../contracts/generated.js';
import { recurringInvoiceCreate, recurringInvoiceEnd, recurringInvoicePatch } from './schema.js';

// Agents cannot submit these commands. One recurring invoice may cause any number of invoices of
// any amount, and no person approves each of them.

/**
 * Sending an invoice needs the permission `approve` (docs/decisions.md §6). Charging an invoice
 * automatically needs the same permission.
 */
const permissionFor = ({ release, autopay }: Pick<RecurringInvoicePatch, 'release' | 'autopay'>) =>
  release === 'send' || autopay !== undefined ? 'approve' : 'write';

export const createRecurringInvoice = defineCommand<RecurringInvoiceCreate>({
  type: 'recurring_invoice.create',
  action: 'recurring_invoice.created',
  creates: true,
  schema: recurringInvoiceCreate,
  permission: 'write',
  permissionFor,
});

export const updateRecurringInvoice = defineCommand<RecurringInvoicePatch>({
  type: 'recurring_invoice.update',
  action: 'recurring_invoice.updated',
  schema: recurringInvoicePatch,
  permission: 'write',
  permissionFor,
});

/** Ends a recurring invoice. Its invoices remain. */
export const endRecurringInvoice = defineCommand<RecurringInvoiceEnd>({
  type: 'recurring_invoice.end',
  action: 'recurring_invoice.ended',
  schema: recurringInvoiceEnd,
  permission: 'write',
});

export interface RecurringInvoiceRun {
  /** The `next_date` that caused this run. A second command with the same date does nothing. */
  date: string;
}

/** Creates the invoice of a due date. Only the clock submits this command. */
export const runRecurringInvoice = defineCommand<RecurringInvoiceRun>({
  type: 'recurring_invoice.run',
  action: 'recurring_invoice.invoiced',
  schema: Joi.object({ date: Joi.string().required() }),
  permission: 'admin',
});
