import type Router from '@koa/router';
import {
  createClaim,
  rebillClaim,
  recordClaimOutcome,
  submitClaim,
  updateClaim,
  withdrawClaim,
} from '../../shared/resources/claims/commands.js';
import { listClaims } from '../../shared/resources/claims/queries.js';
import { claimListQuery } from '../../shared/resources/claims/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export const claimRoutes = defineRoutes('Claims', (router, api) => {
  /**
   * @openapi
   * /claims:
   *   get:
   *     operationId: listClaims
   *     summary: List claims on motor clubs
   *     description: Newest first.
   *     x-list: ClaimListItem
   */
  router.get('/claims', serveList(api, { access: read, schema: claimListQuery, buildQuery: listClaims }));

  /**
   * @openapi
   * /claims:
   *   post:
   *     operationId: createClaim
   *     summary: Create a claim
   *     description: An invoice has one claim at a time; a second one returns 409 conflict.
   */
  router.post('/claims', serveWrite(api, createClaim));

  /**
   * @openapi
   * /claims/{id}:
   *   get:
   *     operationId: getClaim
   *     summary: Get one claim
   *     description: Includes its deadlines and attempts.
   */
  router.get('/claims/:id', serveRecord(api, 'claim'));

  /**
   * @openapi
   * /claims/{id}:
   *   patch:
   *     operationId: updateClaim
   *     summary: Change a claim
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it. A claim that has ended returns 409
   *       conflict.
   */
  router.patch('/claims/:id', serveWrite(api, updateClaim));
  claimActionRoutes(router, api);
});

function claimActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /claims/{id}/submit:
   *   post:
   *     operationId: submitClaim
   *     summary: Submit a claim
   *     description: Sends its invoice to the billing partner.
   */
  router.post('/claims/:id/submit', serveWrite(api, submitClaim));

  /**
   * @openapi
   * /claims/{id}/rebill:
   *   post:
   *     operationId: rebillClaim
   *     summary: Submit a denied claim again
   *     description: >-
   *       Allowed once the problem is corrected and the invoice is approved; three attempts at
   *       most.
   */
  router.post('/claims/:id/rebill', serveWrite(api, rebillClaim));

  /**
   * @openapi
   * /claims/{id}/withdraw:
   *   post:
   *     operationId: withdrawClaim
   *     summary: Withdraw a claim
   *     description: The invoice keeps its status and may be billed to another payer.
   */
  router.post('/claims/:id/withdraw', serveWrite(api, withdrawClaim));

  /**
   * @openapi
   * /claims/{id}/outcome:
   *   post:
   *     operationId: recordClaimOutcome
   *     summary: Record the motor club's decision
   *     description: >-
   *       A paid claim is recorded as a payment of the invoice. A denied claim is submitted again
   *       automatically when a rule can correct it. Otherwise the invoice needs review, and a
   *       suggestion says how to respond to the denial.
   */
  router.post('/claims/:id/outcome', serveWrite(api, recordClaimOutcome));
}
