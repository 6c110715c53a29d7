import type Router from '@koa/router';
import { getReadAccess } from '../../shared/registry/tables.js';
import { createTruck, updateTruck } from '../../shared/resources/trucks/commands.js';
import { listTrucks } from '../../shared/resources/trucks/queries.js';
import { truckListQuery } from '../../shared/resources/trucks/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = getReadAccess('truck');

export function truckRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /trucks:
   *   get:
   *     operationId: listTrucks
   *     tags: [Fleet]
   *     summary: List trucks
   *     description: Newest first. Agent keys need the scope read_dispatch.
   *     x-query: TruckListQuery
   *     responses:
   *       '200': { x-list: Truck }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get('/trucks', serveList(api, { access: read, schema: truckListQuery, buildQuery: listTrucks }));

  /**
   * @openapi
   * /trucks:
   *   post:
   *     operationId: createTruck
   *     tags: [Fleet]
   *     summary: Add a truck
   *     description: >-
   *       409 conflict when another truck has the same unit_number, ignoring case. Not for agent
   *       keys.
   *     x-body: TruckCreate
   *     responses:
   *       '201': { x-resource: Truck }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post('/trucks', serveWrite(api, createTruck, { resourceLabel: 'truck' }));

  /**
   * @openapi
   * /trucks/{id}:
   *   get:
   *     operationId: getTruck
   *     tags: [Fleet]
   *     summary: Get one truck
   *     description: Agent keys need the scope read_dispatch.
   *     responses:
   *       '200': { x-resource: Truck }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get('/trucks/:id', serveRecord(api, { access: read, entityType: 'truck', resourceLabel: 'truck' }));

  /**
   * @openapi
   * /trucks/{id}:
   *   patch:
   *     operationId: updateTruck
   *     tags: [Fleet]
   *     summary: Change a truck
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it; a location is replaced as a whole.
   *       Not for agent keys.
   *     x-body: TruckPatch
   *     responses:
   *       '200': { x-resource: Truck }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.patch('/trucks/:id', serveWrite(api, updateTruck, { resourceLabel: 'truck' }));
}
