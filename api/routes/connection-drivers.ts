import type Joi from 'joi';
import type { ConnectionDriverListQuery } from '../../shared/contracts/generated.js';
import { ADMIN } from '../../shared/records/resource-table.js';
import { linkDriver, unlinkDriver } from '../../shared/resources/connection-drivers/commands.js';
import { DRIVERS } from '../../shared/resources/connection-drivers/driver-kind.js';
import { listConnectionDrivers } from '../../shared/resources/connection-drivers/queries.js';
import {
  connectionDriverListQuery,
  driversOfConnectionQuery,
} from '../../shared/resources/connection-drivers/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { describeLinkTarget } from '../transforms/fleet-link-target.js';

export const connectionDriverRoutes = defineRoutes('Integrations', (router, api) => {
  /**
   * @openapi
   * /connections/{id}/drivers:
   *   get:
   *     operationId: listConnectionDrivers
   *     summary: List the drivers of a telematics vendor
   *     description: >-
   *       Newest first, each with the driver here who it is linked to, or probably is. Empty until
   *       they were read, and for other vendors. At most 5,000 are kept.
   *     x-list: ConnectionDriver
   * /connections/{id}/drivers/{external_id}/link:
   *   post:
   *     operationId: linkConnectionDriver
   *     summary: Link a vendor's driver to a driver here
   *     description: >-
   *       Inspections that the vendor's driver reports then have the driver_id of the driver here,
   *       also those of the last day. Each has one of the other per connection; a second link is
   *       409 conflict. No driver is created unless create is true.
   *   delete:
   *     operationId: unlinkConnectionDriver
   *     summary: End the link of a vendor's driver
   *     description: Inspections that were recorded keep their driver_id.
   * /connection-drivers:
   *   get:
   *     operationId: listVendorDrivers
   *     summary: List the drivers of all telematics vendors
   *     description: Newest first, of all connections or of one.
   * /connection-drivers/{id}:
   *   get:
   *     operationId: getVendorDriver
   *     summary: Get one driver of a telematics vendor
   */
  router.get(
    '/connections/:id/drivers',
    serveList(api, {
      access: ADMIN,
      schema: driversOfConnectionQuery as Joi.ObjectSchema<ConnectionDriverListQuery>,
      buildQuery: listConnectionDrivers,
      parent: { entityType: 'connection', member: 'connection_id' },
    }),
  );
  router.get(
    '/connection-drivers',
    serveList(api, {
      access: ADMIN,
      schema: connectionDriverListQuery,
      buildQuery: listConnectionDrivers,
    }),
  );
  router.get('/connection-drivers/:id', serveRecord(api, 'connection_driver'));
  const path = '/connections/:id/drivers/:external_id/link';
  router.post(path, serveWrite(api, linkDriver, describeLinkTarget(DRIVERS)));
  router.delete(path, serveWrite(api, unlinkDriver, describeLinkTarget(DRIVERS)));
});
