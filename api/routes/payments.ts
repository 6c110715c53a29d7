import type Joi from 'joi';
import type { PaymentListQuery } from '../../shared/contracts/generated.js';
import { createPayment, refundPayment } from '../../shared/resources/payments/commands.js';
import { listPayments } from '../../shared/resources/payments/queries.js';
import { invoicePaymentListQuery, paymentListQuery } from '../../shared/resources/payments/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = { permission: 'read', agentScope: null } as const;

export const paymentRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /invoices/{id}/payments:
   *   get:
   *     operationId: listPayments
   *     summary: List the payments of an invoice
   *     description: Newest first.
   *     x-list: Payment
   */
  router.get(
    '/invoices/:id/payments',
    serveList(api, {
      access: read,
      schema: invoicePaymentListQuery as Joi.ObjectSchema<PaymentListQuery>,
      parent: { entityType: 'invoice', member: 'invoice_id' },
      buildQuery: listPayments,
    }),
  );

  /**
   * @openapi
   * /invoices/{id}/payments:
   *   post:
   *     operationId: createPayment
   *     summary: Record a payment
   *     description: >-
   *       An amount above the balance becomes credit of the customer. The event invoice.paid is
   *       recorded for full and partial payments.
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
   *     summary: List payments
   *     description: Payments of all invoices, newest first.
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
   *     summary: Get one payment
   *     description: Shows how much of it is refunded, and how much is credit of the customer.
   */
  router.get('/payments/:id', serveRecord(api, 'payment', { externalIdsOf: 'payment' }));

  /**
   * @openapi
   * /payments/{id}/refund:
   *   post:
   *     operationId: refundPayment
   *     summary: Refund a payment, wholly or in part
   *     description: The refund uses the customer's credit first.
   */
  router.post('/payments/:id/refund', serveWrite(api, refundPayment));
});
