import type Joi from 'joi';
import type { PayoutItemListQuery } from '../../shared/contracts/generated.js';
import { READ } from '../../shared/records/resource-table.js';
import { listPayoutItems, listPayouts } from '../../shared/resources/payouts/queries.js';
import { payoutItemListQuery, payoutListQuery } from '../../shared/resources/payouts/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const payoutRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /payouts:
   *   get:
   *     operationId: listPayouts
   *     summary: List payouts
   *     description: >-
   *       Newest first. What a payments vendor sends to the account's bank, with the fees that it
   *       has kept.
   * /payouts/{id}:
   *   get:
   *     operationId: getPayout
   *     summary: Get one payout
   */
  router.get('/payouts', serveList(api, { access: READ, schema: payoutListQuery, buildQuery: listPayouts }));
  router.get('/payouts/:id', serveRecord(api, 'payout'));

  /**
   * @openapi
   * /payouts/{id}/items:
   *   get:
   *     operationId: listPayoutItems
   *     summary: List what a payout contains
   *     description: >-
   *       Newest first: payments, refunds, disputes and fees. The net amounts of all items add up
   *       to the payout once `items_status` is complete.
   *     x-list: PayoutItem
   */
  router.get(
    '/payouts/:id/items',
    serveList(api, {
      access: READ,
      schema: payoutItemListQuery as Joi.ObjectSchema<PayoutItemListQuery & { payout_id: string }>,
      parent: { entityType: 'payout', member: 'payout_id' },
      buildQuery: listPayoutItems,
    }),
  );
});
