import {
  createRecurringInvoice,
  endRecurringInvoice,
  updateRecurringInvoice,
} from '../../shared/resources/recurring-invoices/commands.js';
import { listRecurringInvoices } from '../../shared/resources/recurring-invoices/queries.js';
import { recurringInvoiceListQuery } from '../../shared/resources/recurring-invoices/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = { permission: 'read', agentScope: 'read_invoices' } as const;

export const recurringInvoiceRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /recurring-invoices:
   *   get:
   *     operationId: listRecurringInvoices
   *     summary: List recurring invoices
   *     description: Newest first.
   *   post:
   *     operationId: createRecurringInvoice
   *     summary: Create a recurring invoice
   *     description: >-
   *       Creates an invoice of these line items for each date of the rhythm, at the start of the
   *       day in the account's time zone. Each date is computed from anchor_date, so 31 January is
   *       followed by 28 February and 31 March. The invoice gets the account's next number, the
   *       tax rate and terms of that day, and recurring_invoice_id; the event invoice.created
   *       reports it. After an outage the clock makes up every missed date, oldest first. With
   *       release send the invoice is also approved and mailed. An account may have 500 recurring
   *       invoices that have not ended; another returns 409.
   */
  router.get(
    '/recurring-invoices',
    serveList(api, { access: read, schema: recurringInvoiceListQuery, buildQuery: listRecurringInvoices }),
  );
  router.post('/recurring-invoices', serveWrite(api, createRecurringInvoice));

  /**
   * @openapi
   * /recurring-invoices/{id}:
   *   get:
   *     operationId: getRecurringInvoice
   *     summary: Get one recurring invoice
   *   patch:
   *     operationId: updateRecurringInvoice
   *     summary: Change, pause or end a recurring invoice
   *     description: >-
   *       Existing invoices stay as they are. A new rhythm applies from today on; a date that is
   *       already due is invoiced first, and no date twice. One that is active again does not make
   *       up the dates that passed while it was paused. While release is send, a change of anything
   *       but description, or of status to paused or ended, must repeat release, else 409 conflict.
   *       One that has ended can no longer change (409).
   *   delete:
   *     operationId: endRecurringInvoice
   *     summary: End a recurring invoice
   *     description: It stays readable with status ended, and its invoices are kept.
   */
  router.get('/recurring-invoices/:id', serveRecord(api, 'recurring_invoice'));
  router.patch('/recurring-invoices/:id', serveWrite(api, updateRecurringInvoice));
  router.delete('/recurring-invoices/:id', serveWrite(api, endRecurringInvoice));
});
