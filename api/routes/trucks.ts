import { getReadAccess } from '../../shared/registry/tables.js';
import { createTruck, updateTruck } from '../../shared/resources/trucks/commands.js';
import { listTruckPositions, listTrucks } from '../../shared/resources/trucks/queries.js';
import { truckListQuery, truckPositionListQuery } from '../../shared/resources/trucks/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = getReadAccess('truck');

export const truckRoutes = defineRoutes('Fleet', (router, api) => {
  /**
   * @openapi
   * /trucks:
   *   get:
   *     operationId: listTrucks
   *     summary: List trucks
   *     description: Newest first.
   */
  router.get('/trucks', serveList(api, { access: read, schema: truckListQuery, buildQuery: listTrucks }));

  /**
   * @openapi
   * /trucks:
   *   post:
   *     operationId: createTruck
   *     summary: Add a truck
   *     description: 409 conflict when another truck has the same unit_number, ignoring case.
   */
  router.post('/trucks', serveWrite(api, createTruck));

  /**
   * @openapi
   * /trucks/{id}:
   *   get:
   *     operationId: getTruck
   *     summary: Get one truck
   */
  router.get('/trucks/:id', serveRecord(api, 'truck'));

  /**
   * @openapi
   * /trucks/{id}:
   *   patch:
   *     operationId: updateTruck
   *     summary: Change a truck
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it; a location is replaced as a whole.
   */
  router.patch('/trucks/:id', serveWrite(api, updateTruck));

  /**
   * @openapi
   * /trucks/{id}/positions:
   *   get:
   *     operationId: listTruckPositions
   *     summary: List the past positions of a truck
   *     description: >-
   *       Newest first, for 30 days. Only positions that a telematics vendor reported are kept, one
   *       per 30 seconds at most, and fewer for fleets of more than 500 trucks.
   *     x-list: TruckPosition
   */
  router.get(
    '/trucks/:id/positions',
    serveList(api, {
      access: read,
      schema: truckPositionListQuery,
      buildQuery: listTruckPositions,
      parent: { entityType: 'truck', member: 'truck_id' as never },
    }),
  );
});
