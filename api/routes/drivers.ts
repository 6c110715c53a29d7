import type Router from '@koa/router';
import { createDriver, updateDriver } from '../../shared/resources/drivers/commands.js';
import { listDrivers } from '../../shared/resources/drivers/queries.js';
import { driverListQuery } from '../../shared/resources/drivers/schema.js';
import { readAccess } from '../../shared/resources/tables.js';
import type { RequestState } from '../context.js';
import { list, readOne } from '../middleware/read.js';
import { write } from '../middleware/write.js';
import type { ApiRuntime } from '../runtime.js';

const read = readAccess('driver');

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
  router.get('/drivers', list(api, { access: read, schema: driverListQuery, statement: listDrivers }));

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
  router.post('/drivers', write(api, createDriver, { what: 'driver' }));

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
  router.get('/drivers/:id', readOne(api, { access: read, entityType: 'driver', what: 'driver' }));

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
  router.patch('/drivers/:id', write(api, updateDriver, { what: 'driver' }));
}
