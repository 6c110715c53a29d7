import type Router from '@koa/router';
import { getReadAccess } from '../../shared/registry/tables.js';
import { createDriver, updateDriver } from '../../shared/resources/drivers/commands.js';
import { listDrivers } from '../../shared/resources/drivers/queries.js';
import { driverListQuery } from '../../shared/resources/drivers/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = getReadAccess('driver');

export function driverRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /drivers:
   *   get:
   *     operationId: listDrivers
   *     tags: [Fleet]
   *     summary: List drivers
   *     description: Newest first. Agent keys need the scope read_dispatch.
   *     x-query: DriverListQuery
   *     responses:
   *       '200': { x-list: Driver }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get('/drivers', serveList(api, { access: read, schema: driverListQuery, buildQuery: listDrivers }));

  /**
   * @openapi
   * /drivers:
   *   post:
   *     operationId: createDriver
   *     tags: [Fleet]
   *     summary: Add a driver
   *     description: Not for agent keys.
   *     x-body: DriverCreate
   *     responses:
   *       '201': { x-resource: Driver }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post('/drivers', serveWrite(api, createDriver, { resourceLabel: 'driver' }));

  /**
   * @openapi
   * /drivers/{id}:
   *   get:
   *     operationId: getDriver
   *     tags: [Fleet]
   *     summary: Get one driver
   *     description: Agent keys need the scope read_dispatch.
   *     responses:
   *       '200': { x-resource: Driver }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/drivers/:id',
    serveRecord(api, { access: read, entityType: 'driver', resourceLabel: 'driver' }),
  );

  /**
   * @openapi
   * /drivers/{id}:
   *   patch:
   *     operationId: updateDriver
   *     tags: [Fleet]
   *     summary: Change a driver
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it; duty_classes are replaced as a
   *       whole. Not for agent keys.
   *     x-body: DriverPatch
   *     responses:
   *       '200': { x-resource: Driver }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.patch('/drivers/:id', serveWrite(api, updateDriver, { resourceLabel: 'driver' }));
}
