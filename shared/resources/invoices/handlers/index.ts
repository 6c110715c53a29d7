import type { CommandHandlers } from '../../../contracts/command.js';
import { createInvoices } from './create-handler.js';
import { draftInvoices } from './draft-handler.js';
import { createInvoiceActionHandler } from './move-handler.js';
import { markInvoicesOverdue } from './overdue-handler.js';
import { updateInvoices } from './update-handler.js';
import { markInvoicesViewed } from './viewed-handler.js';

export const invoiceHandlers: CommandHandlers = {
  'invoice.create': createInvoices,
  'invoice.draft': draftInvoices,
  'invoice.update': updateInvoices,
  'invoice.approve': createInvoiceActionHandler('approve'),
  'invoice.send': createInvoiceActionHandler('send'),
  'invoice.return': createInvoiceActionHandler('return'),
  'invoice.dispute': createInvoiceActionHandler('dispute'),
  'invoice.resolve': createInvoiceActionHandler('resolve'),
  'invoice.cancel': createInvoiceActionHandler('cancel'),
  'invoice.void': createInvoiceActionHandler('void'),
  'invoice.mark_overdue': markInvoicesOverdue,
  'invoice.mark_viewed': markInvoicesViewed,
};
