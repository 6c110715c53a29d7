import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { TerminalPaymentCancel, TerminalPaymentCreate } from '../../contracts/generated.js';
import { terminalPaymentCancel, terminalPaymentCreate } from './schema.js';

/** The input of a terminal payment, with the invoice from the path. */
export type InvoiceTerminalPayment = TerminalPaymentCreate & { invoice_id: string };

export const createTerminalPayment = defineCommand<InvoiceTerminalPayment>({
  type: 'terminal_payment.create',
  action: 'terminal_payment.created',
  creates: true,
  isAccepted: true,
  schema: terminalPaymentCreate as unknown as Joi.ObjectSchema<InvoiceTerminalPayment>,
  permission: 'write',
  conflictKeys: ({ invoice_id, reader_id }) => [`entity:${invoice_id}`, `entity:${reader_id}`],
});

export const cancelTerminalPayment = defineCommand<TerminalPaymentCancel>({
  type: 'terminal_payment.cancel',
  action: 'terminal_payment.cancel_requested',
  schema: terminalPaymentCancel,
  permission: 'write',
});

/** The result of a terminal payment that ended unpaid. */
export interface TerminalOutcome {
  status: 'failed' | 'cancelled';
  failure_reason: string | null;
}

/** Records that a terminal payment ended unpaid. The integrations worker submits this command. */
export const recordTerminalPayment = defineCommand<TerminalOutcome>({
  type: 'terminal_payment.record',
  action: 'terminal_payment.recorded',
  schema: Joi.object({
    status: Joi.string().required(),
    failure_reason: Joi.string().allow(null).required(),
  }),
  permission: 'write',
});
