import Joi from 'joi';
import { invoiceStatus } from '../../contracts/enums.js';
import { cents, dateTime, uuid } from '../../contracts/schemas/fields.js';

/** An invoice in the list for agents. Members that are null are omitted. */
export const agentInvoiceListItem = Joi.object({
  id: uuid().required(),
  invoice_number: Joi.string().required(),
  status: invoiceStatus.required(),
  customer_name: Joi.string(),
  total_cents: cents().required(),
  balance_due_cents: cents().required(),
  effective_due_date: dateTime(),
  created_at: dateTime().required(),
}).meta({ className: 'AgentInvoiceListItem' });
