import { READ } from '../../shared/records/resource-table.js';
import { sendDisputeEvidence } from '../../shared/resources/disputes/commands.js';
import { listDisputes } from '../../shared/resources/disputes/queries.js';
import { disputeListQuery } from '../../shared/resources/disputes/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const disputeRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /disputes:
   *   get:
   *     operationId: listDisputes
   *     summary: List disputed payments
   *     description: >-
   *       Newest first. The customer's bank takes a payment back, or wants to. A bank debit that
   *       comes back for lack of money is a lost dispute from the start.
   * /disputes/{id}:
   *   get:
   *     operationId: getDispute
   *     summary: Get one dispute
   * /disputes/{id}/evidence:
   *   post:
   *     operationId: sendDisputeEvidence
   *     summary: Contest a dispute
   *     description: >-
   *       Sends what the account holds about the work, once: customer, service, day, log of steps,
   *       invoice and photos, with the text of the body.
   */
  router.get(
    '/disputes',
    serveList(api, { access: READ, schema: disputeListQuery, buildQuery: listDisputes }),
  );
  router.get('/disputes/:id', serveRecord(api, 'dispute'));
  router.post('/disputes/:id/evidence', serveWrite(api, sendDisputeEvidence));
});
