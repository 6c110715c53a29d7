import type Router from '@koa/router';
import type Joi from 'joi';
import type { PaymentListQuery } from '../../shared/contracts/generated.js';
import { createPayment, refundPayment } from '../../shared/resources/payments/commands.js';
import { listPayments } from '../../shared/resources/payments/queries.js';
import { invoicePaymentListQuery, paymentListQuery } from '../../shared/resources/payments/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export function paymentRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /invoices/{id}/payments:
   *   get:
   *     operationId: listPayments
   *     tags: [Invoices]
   *     summary: List the payments of an invoice
   *     description: Newest first.
   *     x-query: InvoicePaymentListQuery
   *     responses:
   *       '200': { x-list: Payment }
   *       x-errors: [400, 401, 403, 404, 429, 503]
   */
  router.get(
    '/invoices/:id/payments',
    serveList(api, {
      access: read,
      schema: invoicePaymentListQuery as Joi.ObjectSchema<PaymentListQuery>,
      parent: { entityType: 'invoice', resourceLabel: 'invoice', member: 'invoice_id' },
      buildQuery: listPayments,
    }),
  );

  /**
   * @openapi
   * /invoices/{id}/payments:
   *   post:
   *     operationId: createPayment
   *     tags: [Invoices]
   *     summary: Record a payment
   *     description: >-
   *       An amount above the balance becomes credit of the customer. The event invoice.paid is
   *       recorded for full and partial payments.
   *     x-body: PaymentCreate
   *     responses:
   *       '201': { x-resource: Payment }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/invoices/:id/payments',
    serveWrite(api, createPayment, {
      resourceLabel: 'invoice',
      prepareInput: (input, ctx) => ({ ...input, invoice_id: String(ctx.params.id).toLowerCase() }),
    }),
  );

  /**
   * @openapi
   * /payments:
   *   get:
   *     operationId: listAllPayments
   *     tags: [Invoices]
   *     summary: List payments
   *     description: Payments of all invoices, newest first.
   *     x-query: PaymentListQuery
   *     responses:
   *       '200': { x-list: Payment }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get(
    '/payments',
    serveList(api, { access: read, schema: paymentListQuery, buildQuery: listPayments }),
  );

  /**
   * @openapi
   * /payments/{id}:
   *   get:
   *     operationId: getPayment
   *     tags: [Invoices]
   *     summary: Get one payment
   *     description: Shows how much of it is refunded, and how much is credit of the customer.
   *     responses:
   *       '200': { x-resource: Payment }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/payments/:id',
    serveRecord(api, { access: read, entityType: 'payment', resourceLabel: 'payment' }),
  );

  /**
   * @openapi
   * /payments/{id}/refund:
   *   post:
   *     operationId: refundPayment
   *     tags: [Invoices]
   *     summary: Refund a payment, wholly or in part
   *     description: The refund uses the customer's credit first. Needs the permission approve.
   *     x-body: RefundCreate
   *     responses:
   *       '200': { x-resource: Payment }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/payments/:id/refund', serveWrite(api, refundPayment, { resourceLabel: 'payment' }));
}
