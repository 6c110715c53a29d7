import { acceptSuggestion, dismissSuggestion } from '../../shared/resources/suggestions/commands.js';
import { listSuggestions } from '../../shared/resources/suggestions/queries.js';
import { suggestionListQuery } from '../../shared/resources/suggestions/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = { permission: 'read', agentScope: null } as const;

export const suggestionRoutes = defineRoutes('Suggestions', (router, api) => {
  /**
   * @openapi
   * /suggestions:
   *   get:
   *     operationId: listSuggestions
   *     summary: List suggestions
   *     description: >-
   *       Newest first. The service makes suggestions from the account's own billing; clients
   *       cannot create any.
   */
  router.get(
    '/suggestions',
    serveList(api, { access: read, schema: suggestionListQuery, buildQuery: listSuggestions }),
  );

  /**
   * @openapi
   * /suggestions/{id}:
   *   get:
   *     operationId: getSuggestion
   *     summary: Get one suggestion
   *     description: Includes its rationale and the line items it proposes.
   */
  router.get('/suggestions/:id', serveRecord(api, 'suggestion'));

  /**
   * @openapi
   * /suggestions/{id}/accept:
   *   post:
   *     operationId: acceptSuggestion
   *     summary: Accept a suggestion
   *     description: >-
   *       Adds the proposed line items to the invoice and prices it again with tax, while it is in
   *       draft or needs_review; later it returns 409 invoice_locked. A suggestion without line
   *       items is only marked as accepted.
   */
  router.post('/suggestions/:id/accept', serveWrite(api, acceptSuggestion));

  /**
   * @openapi
   * /suggestions/{id}/dismiss:
   *   post:
   *     operationId: dismissSuggestion
   *     summary: Dismiss a suggestion
   *     description: >-
   *       The suggestion is not made again, and its detector requires more evidence in this account
   *       from then on.
   */
  router.post('/suggestions/:id/dismiss', serveWrite(api, dismissSuggestion));
});
