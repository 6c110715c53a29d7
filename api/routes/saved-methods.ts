import type Joi from 'joi';
import type { SavedMethodListQuery } from '../../shared/contracts/generated.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { READ } from '../../shared/records/resource-table.js';
import { listAutopayAttempts } from '../../shared/resources/autopay-attempts/queries.js';
import { autopayAttemptListQuery } from '../../shared/resources/autopay-attempts/schema.js';
import { createSavedMethod, removeSavedMethod } from '../../shared/resources/saved-methods/commands.js';
import { listSavedMethods } from '../../shared/resources/saved-methods/queries.js';
import { customerMethodsQuery, savedMethodListQuery } from '../../shared/resources/saved-methods/schema.js';
import { savedMethodTable } from '../../shared/resources/saved-methods/table.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { awaitOpening } from '../runtime/await-opening.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const savedMethodRoutes = defineRoutes('Customers', (router, api) => {
  /**
   * @openapi
   * /customers/{id}/payment-methods:
   *   get:
   *     operationId: listCustomerMethods
   *     summary: List the payment methods of a customer
   *     description: Newest first, with those that were removed.
   *     x-list: SavedMethod
   *   post:
   *     operationId: createSavedMethod
   *     summary: Open a page where a customer saves a payment method
   *     description: >-
   *       The connected payments vendor hosts the page, at url. The customer enters a card or a
   *       bank account there, and agrees to later charges. Nothing is charged. In a sandbox without
   *       a payments vendor, this service pretends the page. The response waits
   *       for the vendor for ten seconds at most; then url is null, and GET /payment-methods/{id}
   *       shows it later.
   * /customers/{id}/payment-methods/{method_id}:
   *   delete:
   *     operationId: removeSavedMethod
   *     summary: Remove a payment method
   *     description: >-
   *       Also at the vendor. A payment method that autopay uses is 409 conflict.
   * /payment-methods:
   *   get:
   *     operationId: listSavedMethods
   *     summary: List saved payment methods
   *     description: Newest first, of all customers or of one.
   * /payment-methods/{id}:
   *   get:
   *     operationId: getSavedMethod
   *     summary: Get one payment method
   * /autopay-attempts:
   *   get:
   *     operationId: listAutopayAttempts
   *     summary: List the automatic charges
   *     description: >-
   *       Newest first. Each is one attempt to charge an invoice to a saved payment method. After a
   *       decline that may pass, the next attempt follows after 1, 3 and 5 days.
   * /autopay-attempts/{id}:
   *   get:
   *     operationId: getAutopayAttempt
   *     summary: Get one automatic charge
   */
  router.get(
    '/customers/:id/payment-methods',
    serveList(api, {
      access: READ,
      schema: customerMethodsQuery as Joi.ObjectSchema<SavedMethodListQuery>,
      parent: { entityType: 'customer', member: 'customer_id' },
      buildQuery: listSavedMethods,
    }),
  );
  router.post(
    '/customers/:id/payment-methods',
    awaitOpening(api, savedMethodTable),
    serveWrite(api, createSavedMethod, {
      resourceLabel: 'customer',
      prepareInput: (input, ctx) => ({ ...input, customer_id: String(ctx.params.id).toLowerCase() }),
    }),
  );
  router.delete(
    '/customers/:id/payment-methods/:method_id',
    serveWrite(api, removeSavedMethod, {
      prepareInput: (input, { params }) => ({ ...input, customer_id: String(params.id).toLowerCase() }),
      getTargetId: ({ params }) => {
        if (!isUuid(params.method_id)) throw notFound('payment method');
        return params.method_id.toLowerCase();
      },
    }),
  );
  router.get(
    '/payment-methods',
    serveList(api, { access: READ, schema: savedMethodListQuery, buildQuery: listSavedMethods }),
  );
  router.get('/payment-methods/:id', serveRecord(api, 'saved_method'));
  router.get(
    '/autopay-attempts',
    serveList(api, { access: READ, schema: autopayAttemptListQuery, buildQuery: listAutopayAttempts }),
  );
  router.get('/autopay-attempts/:id', serveRecord(api, 'autopay_attempt'));
});
