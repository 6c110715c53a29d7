import { effectiveDueDate } from '../../billing/effective-due-date.js';
import { jsonObjectWithoutNulls, jsonShortText, jsonTime } from '../../contracts/resource.js';
import { shortCustomerName } from '../customers/representation.js';

/**
 * Returns SQL for an invoice in the agents' list, with only the members that help an agent choose
 * an invoice. The tool get_invoice shows all members.
 */
export function agentInvoiceListRepresentation(alias: string): string {
  return jsonObjectWithoutNulls(alias, [
    'id',
    jsonShortText(alias, 'invoice_number'),
    'status',
    shortCustomerName(alias),
    'total_cents',
    'balance_due_cents',
    jsonTime(alias, 'effective_due_date', effectiveDueDate(alias)),
    jsonTime(alias, 'created_at'),
  ]);
}
