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
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export const impoundRoutes = defineRoutes('Fleet', (router, api) => {
  /**
   * @openapi
   * /impounds:
   *   get:
   *     operationId: listImpounds
   *     summary: List impounded vehicles
   *     description: Newest first.
   */
  router.get(
    '/impounds',
    serveList(api, { access: read, schema: impoundListQuery, buildQuery: listImpounds }),
  );

  /**
   * @openapi
   * /impounds:
   *   post:
   *     operationId: createImpound
   *     summary: Take a vehicle into the yard
   *     description: >-
   *       Storage accrues daily from now on. Every calendar day that has started in the account's
   *       time zone counts in full, including the first and the last, minus the free days. A second
   *       impound of the same work order returns 409 conflict.
   */
  router.post('/impounds', serveWrite(api, createImpound));

  /**
   * @openapi
   * /impounds/{id}:
   *   get:
   *     operationId: getImpound
   *     summary: Get one impound
   */
  router.get('/impounds/:id', serveRecord(api, 'impound'));

  /**
   * @openapi
   * /impounds/{id}:
   *   patch:
   *     operationId: updateImpound
   *     summary: Change an impound or its status
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it. The rate and the free days are
   *       fixed when the stay begins. 409 for a status change that is not allowed, and for any
   *       status change while a hold is on the vehicle.
   */
  router.patch('/impounds/:id', serveWrite(api, updateImpound));
  impoundActionRoutes(router, api);
});

function impoundActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /impounds/{id}/hold:
   *   post:
   *     operationId: holdImpound
   *     summary: Put a hold on a vehicle
   *     description: >-
   *       Until the hold is lifted, the vehicle cannot be released and its status cannot change.
   *       Storage continues to accrue.
   */
  router.post('/impounds/:id/hold', serveWrite(api, holdImpound));

  /**
   * @openapi
   * /impounds/{id}/unhold:
   *   post:
   *     operationId: unholdImpound
   *     summary: Lift the hold on a vehicle
   *     description: The impound returns to the status that it had when the hold began.
   */
  router.post('/impounds/:id/unhold', serveWrite(api, unholdImpound));

  /**
   * @openapi
   * /impounds/{id}/release:
   *   post:
   *     operationId: releaseImpound
   *     summary: Release a vehicle
   *     description: >-
   *       Storage ends with the day of the release. 409 while a hold is on the vehicle, and when
   *       `at` is before days that are already invoiced.
   */
  router.post('/impounds/:id/release', serveWrite(api, releaseImpound));
}
