import { getReadAccess } from '../../shared/registry/tables.js';
import { createDriver, updateDriver } from '../../shared/resources/drivers/commands.js';
import { listDrivers } from '../../shared/resources/drivers/queries.js';
import { driverListQuery } from '../../shared/resources/drivers/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = getReadAccess('driver');

export const driverRoutes = defineRoutes('Fleet', (router, api) => {
  /**
   * @openapi
   * /drivers:
   *   get:
   *     operationId: listDrivers
   *     summary: List drivers
   *     description: Newest first.
   */
  router.get('/drivers', serveList(api, { access: read, schema: driverListQuery, buildQuery: listDrivers }));

  /**
   * @openapi
   * /drivers:
   *   post:
   *     operationId: createDriver
   *     summary: Add a driver
   */
  router.post('/drivers', serveWrite(api, createDriver));

  /**
   * @openapi
   * /drivers/{id}:
   *   get:
   *     operationId: getDriver
   *     summary: Get one driver
   */
  router.get('/drivers/:id', serveRecord(api, 'driver'));

  /**
   * @openapi
   * /drivers/{id}:
   *   patch:
   *     operationId: updateDriver
   *     summary: Change a driver
   *     description: >-
   *       JSON merge: an absent member is kept, null clears it; duty_classes are replaced as a
   *       whole.
   */
  router.patch('/drivers/:id', serveWrite(api, updateDriver));
});
