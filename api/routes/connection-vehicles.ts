import type Joi from 'joi';
import type { ConnectionVehicleListQuery } from '../../shared/contracts/generated.js';
import { ADMIN } from '../../shared/records/resource-table.js';
import { linkVehicle, unlinkVehicle } from '../../shared/resources/connection-vehicles/commands.js';
import { listConnectionVehicles } from '../../shared/resources/connection-vehicles/queries.js';
import {
  connectionVehicleListQuery,
  vehiclesOfConnectionQuery,
} from '../../shared/resources/connection-vehicles/schema.js';
import { VEHICLES } from '../../shared/resources/connection-vehicles/vehicle-kind.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { describeLinkTarget } from '../transforms/fleet-link-target.js';

export const connectionVehicleRoutes = defineRoutes('Integrations', (router, api) => {
  /**
   * @openapi
   * /connections/{id}/vehicles:
   *   get:
   *     operationId: listConnectionVehicles
   *     summary: List the vehicles of a telematics vendor
   *     description: >-
   *       Newest first, each with the truck that it is linked to, or probably is. Empty until they
   *       were read, and for other vendors. At most 5,000 are kept.
   *     x-list: ConnectionVehicle
   * /connections/{id}/vehicles/{external_id}/link:
   *   post:
   *     operationId: linkConnectionVehicle
   *     summary: Link a vehicle to a truck
   *     description: >-
   *       The truck then gets the positions and inspections of the vehicle. A vehicle has one
   *       truck, and a truck has one vehicle per connection; a second link is 409 conflict. No
   *       truck is created unless create is true.
   *   delete:
   *     operationId: unlinkConnectionVehicle
   *     summary: End the link of a vehicle
   *     description: The truck keeps its last position.
   * /vehicles:
   *   get:
   *     operationId: listVehicles
   *     summary: List the vehicles of all telematics vendors
   *     description: Newest first, of all connections or of one.
   * /vehicles/{id}:
   *   get:
   *     operationId: getVehicle
   *     summary: Get one vehicle of a telematics vendor
   */
  router.get(
    '/connections/:id/vehicles',
    serveList(api, {
      access: ADMIN,
      schema: vehiclesOfConnectionQuery as Joi.ObjectSchema<ConnectionVehicleListQuery>,
      buildQuery: listConnectionVehicles,
      parent: { entityType: 'connection', member: 'connection_id' },
    }),
  );
  router.get(
    '/vehicles',
    serveList(api, {
      access: ADMIN,
      schema: connectionVehicleListQuery,
      buildQuery: listConnectionVehicles,
    }),
  );
  router.get('/vehicles/:id', serveRecord(api, 'connection_vehicle'));
  const path = '/connections/:id/vehicles/:external_id/link';
  router.post(path, serveWrite(api, linkVehicle, describeLinkTarget(VEHICLES)));
  router.delete(path, serveWrite(api, unlinkVehicle, describeLinkTarget(VEHICLES)));
});
