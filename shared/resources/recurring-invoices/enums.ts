import { namedEnum } from '../../contracts/named-enum.js';
import { INVOICE_RELEASES, INVOICE_RHYTHMS, RECURRING_INVOICE_STATUSES } from './vocabulary.js';

export const invoiceRhythm = namedEnum('InvoiceRhythm', INVOICE_RHYTHMS, {
  week: 'Every seven days from `anchor_date`',
  month: 'Every month on the day of `anchor_date`, or on the last day of a shorter month',
  quarter: 'Every three months on the day of `anchor_date`, or on the last day of a shorter month',
});

export const recurringInvoiceStatus = namedEnum('RecurringInvoiceStatus', RECURRING_INVOICE_STATUSES, {
  active: 'The next invoice is due on `next_date`',
  paused: 'No invoice is created. Dates that pass meanwhile are not made up',
  ended: 'No invoice is created any more. The invoices so far remain. It can no longer change',
});

export const invoiceRelease = namedEnum('InvoiceRelease', INVOICE_RELEASES, {
  draft: 'The invoice stays a draft until somebody approves it',
  send: 'The invoice is approved and mailed at once',
});
