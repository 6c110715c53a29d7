import type { RecurringInvoiceListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { recurringInvoiceFields } from './fields.js';

export const listRecurringInvoices = defineList<RecurringInvoiceListQuery>({
  table: 'recurring_invoices',
  fields: recurringInvoiceFields,
  filters: ['status', 'customer_id'],
});
