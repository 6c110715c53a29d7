import { createRateCard } from '../../shared/resources/rate-cards/commands.js';
import { listRateCards } from '../../shared/resources/rate-cards/queries.js';
import { rateCardListQuery } from '../../shared/resources/rate-cards/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = { permission: 'read', agentScope: null } as const;

export const rateCardRoutes = defineRoutes('Fleet', (router, api) => {
  /**
   * @openapi
   * /rate-cards:
   *   get:
   *     operationId: listRateCards
   *     summary: List rate cards
   *     description: All versions, newest first.
   */
  router.get(
    '/rate-cards',
    serveList(api, { access: read, schema: rateCardListQuery, buildQuery: listRateCards }),
  );

  /**
   * @openapi
   * /rate-cards:
   *   post:
   *     operationId: createRateCard
   *     summary: Add a rate card, or the next version of one
   *     description: >-
   *       A card is never edited. The next card with the same name supersedes it from that card's
   *       effective_from on; this is the only way to retire a card. Existing invoices do not
   *       change. A customer's rate_card_id may name any version. 409 conflict when effective_from
   *       is before that of the previous version.
   */
  router.post('/rate-cards', serveWrite(api, createRateCard));

  /**
   * @openapi
   * /rate-cards/{id}:
   *   get:
   *     operationId: getRateCard
   *     summary: Get one version of a rate card
   */
  router.get('/rate-cards/:id', serveRecord(api, 'rate_card'));
});
