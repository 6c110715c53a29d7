import { READ } from '../../shared/records/resource-table.js';
import { listRefunds } from '../../shared/resources/refunds/queries.js';
import { refundListQuery } from '../../shared/resources/refunds/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const refundRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /refunds:
   *   get:
   *     operationId: listRefunds
   *     summary: List refunds
   *     description: >-
   *       Newest first. A refund of a payment that a vendor took is pending until the vendor has
   *       paid it out. One that fails later counts as never made.
   * /refunds/{id}:
   *   get:
   *     operationId: getRefund
   *     summary: Get one refund
   */
  router.get('/refunds', serveList(api, { access: READ, schema: refundListQuery, buildQuery: listRefunds }));
  router.get('/refunds/:id', serveRecord(api, 'refund'));
});
