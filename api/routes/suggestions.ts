import type Router from '@koa/router';
import { acceptSuggestion, dismissSuggestion } from '../../shared/resources/suggestions/commands.js';
import { listSuggestions } from '../../shared/resources/suggestions/queries.js';
import { suggestionListQuery } from '../../shared/resources/suggestions/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export function suggestionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /suggestions:
   *   get:
   *     operationId: listSuggestions
   *     tags: [Suggestions]
   *     summary: List suggestions
   *     description: >-
   *       Newest first. The service makes suggestions from the account's own billing; clients
   *       cannot create any.
   *     x-query: SuggestionListQuery
   *     responses:
   *       '200': { x-list: Suggestion }
   *       x-errors: [400, 401, 403, 429, 503]
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
   *     tags: [Suggestions]
   *     summary: Get one suggestion
   *     description: Includes its rationale and the line items it proposes.
   *     responses:
   *       '200': { x-resource: Suggestion }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/suggestions/:id',
    serveRecord(api, { access: read, entityType: 'suggestion', resourceLabel: 'suggestion' }),
  );

  /**
   * @openapi
   * /suggestions/{id}/accept:
   *   post:
   *     operationId: acceptSuggestion
   *     tags: [Suggestions]
   *     summary: Accept a suggestion
   *     description: >-
   *       Adds the proposed line items to the invoice and prices it again with tax, while it is in
   *       draft or needs_review; later it returns 409 invoice_locked. A suggestion without line
   *       items is only marked as accepted. Not for agent keys.
   *     x-body: SuggestionAccept
   *     responses:
   *       '200': { x-resource: Suggestion }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/suggestions/:id/accept', serveWrite(api, acceptSuggestion, { resourceLabel: 'suggestion' }));

  /**
   * @openapi
   * /suggestions/{id}/dismiss:
   *   post:
   *     operationId: dismissSuggestion
   *     tags: [Suggestions]
   *     summary: Dismiss a suggestion
   *     description: >-
   *       The suggestion is not made again, and its detector requires more evidence in this account
   *       from then on. Not for agent keys.
   *     x-body: SuggestionDismiss
   *     responses:
   *       '200': { x-resource: Suggestion }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/suggestions/:id/dismiss',
    serveWrite(api, dismissSuggestion, { resourceLabel: 'suggestion' }),
  );
}
