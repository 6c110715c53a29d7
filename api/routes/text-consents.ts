import { READ } from '../../shared/records/resource-table.js';
import { setTextConsent } from '../../shared/resources/text-consents/commands.js';
import { listTextConsents } from '../../shared/resources/text-consents/queries.js';
import { textConsentListQuery } from '../../shared/resources/text-consents/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const textConsentRoutes = defineRoutes('Customers', (router, api) => {
  /**
   * @openapi
   * /text-consents:
   *   get:
   *     operationId: listTextConsents
   *     summary: List which numbers accept texts
   *     description: >-
   *       Newest first. A number that is not listed accepts texts. Kept for ever.
   *   post:
   *     operationId: setTextConsent
   *     summary: Record whether a number accepts texts
   *     description: Replaces what was recorded about the number before.
   * /text-consents/{id}:
   *   get:
   *     operationId: getTextConsent
   *     summary: Get what is recorded about one number
   */
  router.get(
    '/text-consents',
    serveList(api, { access: READ, schema: textConsentListQuery, buildQuery: listTextConsents }),
  );
  router.get('/text-consents/:id', serveRecord(api, 'text_consent'));
  router.post('/text-consents', serveWrite(api, setTextConsent));
});
