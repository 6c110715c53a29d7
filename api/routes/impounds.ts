import type Router from '@koa/router';
import {
  createImpound,
  holdImpound,
  releaseImpound,
  unholdImpound,
  updateImpound,
} from '../../shared/resources/impounds/commands.js';
import { listImpounds } from '../../shared/resources/impounds/queries.js';
import { impoundListQuery } from '../../shared/resources/impounds/schema.js';
import type { RequestState } from '../context.js';
import { list, readOne } from '../middleware/read.js';
import { write } from '../middleware/write.js';
import type { ApiRuntime } from '../runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export function impoundRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /impounds:
   *   get:
   *     operationId: listImpounds
   *     tags: [Fleet]
   *     summary: List impounded vehicles
   *     description: Newest first. Agent keys may not.
   *     x-query: ImpoundListQuery
   *     responses:
   *       '200': { x-list: Impound }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get('/impounds', list(api, { access: read, schema: impoundListQuery, statement: listImpounds }));

  /**
   * @openapi
   * /impounds:
   *   post:
   *     operationId: createImpound
   *     tags: [Fleet]
   *     summary: Take a vehicle into the yard
   *     description: >-
   *       Storage accrues by the clock from now on: every calendar day of the account's time zone that has started counts whole, the first and the last one
   *       too, less the free days. A second impound of one job is 409 conflict. Agent keys may not.
   *     x-body: ImpoundCreate
   *     responses:
   *       '201': { x-resource: Impound }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post('/impounds', write(api, createImpound, { what: 'impound' }));

  /**
   * @openapi
   * /impounds/{id}:
   *   get:
   *     operationId: getImpound
   *     tags: [Fleet]
   *     summary: Get one impound
   *     description: Agent keys may not.
   *     responses:
   *       '200': { x-resource: Impound }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get('/impounds/:id', readOne(api, { access: read, entityType: 'impound', what: 'impound' }));

  /**
   * @openapi
   * /impounds/{id}:
   *   patch:
   *     operationId: updateImpound
   *     tags: [Fleet]
   *     summary: Change the facts of an impound, or move it on
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it. The rate and the free days of a stay are fixed when it begins. A status that the table of
   *       moves does not allow, or any while a hold is on it, is 409. Agent keys may not.
   *     x-body: ImpoundPatch
   *     responses:
   *       '200': { x-resource: Impound }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.patch('/impounds/:id', write(api, updateImpound, { what: 'impound' }));
  impoundActionRoutes(router, api);
}

function impoundActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /impounds/{id}/hold:
   *   post:
   *     operationId: holdImpound
   *     tags: [Fleet]
   *     summary: Put a hold on a vehicle
   *     description: Until it is lifted the vehicle cannot be released or moved on. Storage goes on.
   *     x-body: ImpoundHold
   *     responses:
   *       '200': { x-resource: Impound }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/impounds/:id/hold', write(api, holdImpound, { what: 'impound' }));

  /**
   * @openapi
   * /impounds/{id}/unhold:
   *   post:
   *     operationId: unholdImpound
   *     tags: [Fleet]
   *     summary: Lift the hold
   *     description: The impound goes back to the state that the hold began in.
   *     x-body: ImpoundAction
   *     responses:
   *       '200': { x-resource: Impound }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/impounds/:id/unhold', write(api, unholdImpound, { what: 'impound' }));

  /**
   * @openapi
   * /impounds/{id}/release:
   *   post:
   *     operationId: releaseImpound
   *     tags: [Fleet]
   *     summary: Release a vehicle
   *     description: >-
   *       Ends storage with the day of the release. A hold blocks it with 409; so does an `at` before days that are invoiced already.
   *     x-body: ImpoundRelease
   *     responses:
   *       '200': { x-resource: Impound }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/impounds/:id/release', write(api, releaseImpound, { what: 'impound' }));
}
