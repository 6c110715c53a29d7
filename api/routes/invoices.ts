import type Router from '@koa/router';
import { getReadAccess } from '../../shared/registry/tables.js';
import {
  approveInvoice,
  cancelInvoice,
  createInvoice,
  disputeInvoice,
  resolveInvoice,
  returnInvoice,
  sendInvoice,
  updateInvoice,
  voidInvoice,
} from '../../shared/resources/invoices/commands.js';
import { listInvoices } from '../../shared/resources/invoices/queries.js';
import { invoiceListQuery } from '../../shared/resources/invoices/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = getReadAccess('invoice');

export const invoiceRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /invoices:
   *   get:
   *     operationId: listInvoices
   *     summary: List invoices
   *     description: Newest first, unless sort names another sequence.
   *     x-list: InvoiceListItem
   *     parameters: [{ $ref: '#/components/parameters/IgnoredIdempotencyKey' }]
   */
  router.get(
    '/invoices',
    serveList(api, { access: read, schema: invoiceListQuery, buildQuery: listInvoices }),
  );

  /**
   * @openapi
   * /invoices:
   *   post:
   *     operationId: createInvoice
   *     summary: Create an invoice
   *     description: >-
   *       A new invoice is a draft. With a work_order_id and without line_items, the service prices
   *       it by the customer's rate card, or else by the default card. The work order must be
   *       completed, or cancelled as goa or unsuccessful; otherwise the response is 409 conflict.
   *       Customer, vehicle and service date come from the work order where they are left out.
   *       Storage is charged for the days that are on no other invoice of the work order; void and
   *       cancelled invoices do not count. Other charges that are already on an invoice are not
   *       charged again. When nothing is left to charge, the response is 409 conflict. The invoice
   *       has no line items when the account has no rate card in force or line_items is empty. An
   *       agent's draft is held for a person's approval (202, pending_approval) when the drafts of
   *       the same key within 24 hours reach agent_gate_cents for its work order or its payer, or
   *       agent_day_cents in total. The payer is the draft's customer or billing address, or else
   *       those of the work order, then the customer's address. Drafts without a payer count
   *       together.
   *     x-held: true
   */
  router.post('/invoices', serveWrite(api, createInvoice));

  /**
   * @openapi
   * /invoices/{id}:
   *   get:
   *     operationId: getInvoice
   *     summary: Get one invoice with its line items
   */
  router.get('/invoices/:id', serveRecord(api, 'invoice', { externalIdsOf: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}:
   *   patch:
   *     operationId: updateInvoice
   *     summary: Change an invoice
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it. line_items replaces all line items,
   *       in draft and needs_review only. Agent keys may change drafts only. An agent's change is
   *       held for a person's approval (202, pending_approval) when it brings the draft to
   *       agent_gate_cents or agent_day_cents: with new line items, or with another billing_email
   *       for a price that an agent set. Setting status to approved has the same effect as POST
   *       /invoices/{id}/approve, and needs the same permission.
   *     x-held: true
   *     x-errors: [428]
   */
  router.patch('/invoices/:id', serveWrite(api, updateInvoice));
  invoiceActionRoutes(router, api);
});

function invoiceActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /invoices/{id}/approve:
   *   post:
   *     operationId: approveInvoice
   *     summary: Approve an invoice
   *     description: >-
   *       The invoice needs at least one line item and a payer. Only a signed-in person who sends
   *       If-Match (428 without it) may approve an invoice that an agent created, priced or
   *       re-addressed. This ends when a person edits the line items.
   *     x-errors: [428]
   */
  router.post('/invoices/:id/approve', serveWrite(api, approveInvoice));

  /**
   * @openapi
   * /invoices/{id}/send:
   *   post:
   *     operationId: sendInvoice
   *     summary: Send an invoice to its customer
   *     description: >-
   *       Releases the invoice. The event invoice.sent is recorded once the provider has accepted
   *       the message; until then delivery.state is queued. Without a mail server the message stays
   *       in the outbox (/messages).
   *     x-resource: SentInvoice
   */
  router.post('/invoices/:id/send', serveWrite(api, sendInvoice));

  /**
   * @openapi
   * /invoices/{id}/return:
   *   post:
   *     operationId: returnInvoice
   *     summary: Return an invoice for changes
   *     description: The status becomes draft where that is allowed, otherwise needs_review.
   */
  router.post('/invoices/:id/return', serveWrite(api, returnInvoice));

  /**
   * @openapi
   * /invoices/{id}/dispute:
   *   post:
   *     operationId: disputeInvoice
   *     summary: Mark an invoice as disputed
   *     description: Stores the reason.
   */
  router.post('/invoices/:id/dispute', serveWrite(api, disputeInvoice));

  /**
   * @openapi
   * /invoices/{id}/resolve:
   *   post:
   *     operationId: resolveInvoice
   *     summary: End a dispute
   *     description: The invoice returns to the status that its due date and payments imply.
   */
  router.post('/invoices/:id/resolve', serveWrite(api, resolveInvoice));

  /**
   * @openapi
   * /invoices/{id}/cancel:
   *   post:
   *     operationId: cancelInvoice
   *     summary: Cancel an invoice before it is released
   *     description: Its number is not used again.
   */
  router.post('/invoices/:id/cancel', serveWrite(api, cancelInvoice));

  /**
   * @openapi
   * /invoices/{id}/void:
   *   post:
   *     operationId: voidInvoice
   *     summary: Void a released invoice
   *     description: Allowed only while nothing is paid on it.
   */
  router.post('/invoices/:id/void', serveWrite(api, voidInvoice));
}
