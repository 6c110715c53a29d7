import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { PayLinkCreate } from '../../contracts/generated.js';
import { payLinkCreate } from './schema.js';

/** The input of a pay link, with the invoice from the path. */
export type InvoicePayLink = PayLinkCreate & {
  invoice_id: string;
  /** The path on our host to which the vendor sends the customer back. */
  return_path?: string;
};

export const createPayLink = defineCommand<InvoicePayLink>({
  type: 'pay_link.create',
  action: 'pay_link.created',
  creates: true,
  schema: payLinkCreate as unknown as Joi.ObjectSchema<InvoicePayLink>,
  permission: 'write',
  conflictKeys: ({ invoice_id }) => [`entity:${invoice_id}`],
});

/** The vendor's response to a request that opens or closes a page. */
export interface PayLinkOutcome {
  status: 'open' | 'closed' | 'failed';
  url?: string;
  expires_at?: string;
  error?: string;
}

/** Records the state of a pay link's page. The integrations worker submits this command. */
export const recordPayLink = defineCommand<PayLinkOutcome>({
  type: 'pay_link.record',
  action: 'pay_link.recorded',
  schema: Joi.object({
    status: Joi.string().required(),
    url: Joi.string(),
    expires_at: Joi.string(),
    error: Joi.string(),
  }),
  permission: 'write',
});
