import type Router from '@koa/router';
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
import { readAccess } from '../../shared/resources/tables.js';
import type { RequestState } from '../context.js';
import { list, readOne } from '../middleware/read.js';
import { write } from '../middleware/write.js';
import type { ApiRuntime } from '../runtime.js';

const read = readAccess('invoice');

export function invoiceRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /invoices:
   *   get:
   *     operationId: listInvoices
   *     tags: [Invoices]
   *     summary: List invoices
   *     description: Newest first. Agent keys need the scope read_invoices.
   *     x-query: InvoiceListQuery
   *     parameters: [{ $ref: '#/components/parameters/IgnoredIdempotencyKey' }]
   *     responses:
   *       '200': { x-list: InvoiceListItem }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get('/invoices', list(api, { access: read, schema: invoiceListQuery, statement: listInvoices }));

  /**
   * @openapi
   * /invoices:
   *   post:
   *     operationId: createInvoice
   *     tags: [Invoices]
   *     summary: Create an invoice
   *     description: >-
   *       A new invoice is a draft. With a work_order_id and without line_items it is priced from the rate card of its customer, else the default one: the job must
   *       be completed, or cancelled as goa or unsuccessful, else it is 409 conflict; customer, vehicle and service date come from the job where they are left
   *       out. Storage is charged for the days that no living invoice of the job holds; charges that one holds
   *       are not made again, and when nothing is left it is 409 conflict. An account without a card
   *       that is in force gets an invoice without lines, as does an empty list of line_items.
   *       Agent keys need the scope write_invoices_draft. An agent's draft is held for a human (202, pending_approval)
   *       when what the same key drafted within 24 hours for its work order or its payer reaches agent_gate_cents, or all of it agent_day_cents.
   *       Its payer is the customer or the billing address; where the draft names none, those of the work order, then the customer's address.
   *       Drafts with nobody to bill count together.
   *     x-body: InvoiceCreate
   *     responses:
   *       '201': { x-resource: Invoice }
   *       '202': { $ref: '#/components/responses/AcceptedOrHeld' }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post('/invoices', write(api, createInvoice, { what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}:
   *   get:
   *     operationId: getInvoice
   *     tags: [Invoices]
   *     summary: Get one invoice with its line items
   *     description: Agent keys need the scope read_invoices.
   *     responses:
   *       '200': { x-resource: Invoice }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get('/invoices/:id', readOne(api, { access: read, entityType: 'invoice', what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}:
   *   patch:
   *     operationId: updateInvoice
   *     tags: [Invoices]
   *     summary: Change an invoice
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it. line_items replaces all lines, in draft and needs_review only.
   *       Agent keys need the scope write_invoices_draft and may change drafts only; a draft that new lines, or another billing_email for an agent's
   *       price, lift to agent_gate_cents or agent_day_cents is held for a human (202, pending_approval). With status approved, as /approve.
   *     x-body: InvoicePatch
   *     responses:
   *       '200': { x-resource: Invoice }
   *       '202': { $ref: '#/components/responses/AcceptedOrHeld' }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 428, 429, 503]
   */
  router.patch('/invoices/:id', write(api, updateInvoice, { what: 'invoice' }));
  invoiceActionRoutes(router, api);
}

function invoiceActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /invoices/{id}/approve:
   *   post:
   *     operationId: approveInvoice
   *     tags: [Invoices]
   *     summary: Approve an invoice
   *     description: >-
   *       Needs at least one line item and somebody to bill, and the permission approve. What an agent created, priced or re-addressed, only a
   *       signed-in person approves, with If-Match (428 without); a person's own edit of the lines lifts that.
   *     x-body: InvoiceAction
   *     responses:
   *       '200': { x-resource: Invoice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 428, 429, 503]
   */
  router.post('/invoices/:id/approve', write(api, approveInvoice, { what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}/send:
   *   post:
   *     operationId: sendInvoice
   *     tags: [Invoices]
   *     summary: Send an invoice to its customer
   *     description: >-
   *       Releases it. invoice.sent is recorded once the provider has accepted the message; until then delivery.state is queued. Without a mail server
   *       the message stays in the outbox (/messages). Needs the permission approve.
   *     x-body: InvoiceSend
   *     responses:
   *       '200': { x-resource: SentInvoice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/invoices/:id/send', write(api, sendInvoice, { what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}/return:
   *   post:
   *     operationId: returnInvoice
   *     tags: [Invoices]
   *     summary: Take an invoice back for changes
   *     description: To draft where that is allowed, else to needs_review.
   *     x-body: InvoiceAction
   *     responses:
   *       '200': { x-resource: Invoice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/invoices/:id/return', write(api, returnInvoice, { what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}/dispute:
   *   post:
   *     operationId: disputeInvoice
   *     tags: [Invoices]
   *     summary: Mark an invoice as disputed
   *     description: The reason is kept.
   *     x-body: InvoiceReason
   *     responses:
   *       '200': { x-resource: Invoice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/invoices/:id/dispute', write(api, disputeInvoice, { what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}/resolve:
   *   post:
   *     operationId: resolveInvoice
   *     tags: [Invoices]
   *     summary: End a dispute
   *     description: The invoice goes back to where time and payments put it. Needs the permission approve.
   *     x-body: InvoiceAction
   *     responses:
   *       '200': { x-resource: Invoice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/invoices/:id/resolve', write(api, resolveInvoice, { what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}/cancel:
   *   post:
   *     operationId: cancelInvoice
   *     tags: [Invoices]
   *     summary: Abandon an invoice before it is released
   *     description: Its number stays taken.
   *     x-body: InvoiceReason
   *     responses:
   *       '200': { x-resource: Invoice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/invoices/:id/cancel', write(api, cancelInvoice, { what: 'invoice' }));

  /**
   * @openapi
   * /invoices/{id}/void:
   *   post:
   *     operationId: voidInvoice
   *     tags: [Invoices]
   *     summary: Annul a released invoice
   *     description: Only while nothing is paid on it. Needs the permission approve.
   *     x-body: InvoiceReason
   *     responses:
   *       '200': { x-resource: Invoice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/invoices/:id/void', write(api, voidInvoice, { what: 'invoice' }));
}
