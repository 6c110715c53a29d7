import { READ } from '../../shared/records/resource-table.js';
import { createPayLink } from '../../shared/resources/pay-links/commands.js';
import { listPayLinks } from '../../shared/resources/pay-links/queries.js';
import { payLinkListQuery } from '../../shared/resources/pay-links/schema.js';
import { payLinkTable } from '../../shared/resources/pay-links/table.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { awaitOpening } from '../runtime/await-opening.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const payLinkRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /invoices/{id}/pay-link:
   *   post:
   *     operationId: createPayLink
   *     summary: Open a page where the customer pays an invoice
   *     description: >-
   *       The connected payments vendor hosts the page. The amount is the invoice's balance now.
   *       The page closes when the invoice changes, is paid otherwise, or gets a newer link. The
   *       response waits for the vendor for ten seconds at most; then url is null, and GET
   *       /pay-links/{id} shows it later. The payment counts when the vendor confirms it, not when
   *       the customer returns.
   */
  router.post(
    '/invoices/:id/pay-link',
    awaitOpening(api, payLinkTable),
    serveWrite(api, createPayLink, {
      resourceLabel: 'invoice',
      prepareInput: (input, ctx) => ({ ...input, invoice_id: String(ctx.params.id).toLowerCase() }),
    }),
  );

  /**
   * @openapi
   * /pay-links:
   *   get:
   *     operationId: listPayLinks
   *     summary: List pay links
   *     description: Newest first.
   */
  router.get(
    '/pay-links',
    serveList(api, { access: READ, schema: payLinkListQuery, buildQuery: listPayLinks }),
  );

  /**
   * @openapi
   * /pay-links/{id}:
   *   get:
   *     operationId: getPayLink
   *     summary: Get one pay link
   */
  router.get('/pay-links/:id', serveRecord(api, 'pay_link'));
});
