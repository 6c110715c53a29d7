import { getReadAccess } from '../../shared/registry/tables.js';
import { createYard, updateYard } from '../../shared/resources/yards/commands.js';
import { listYards } from '../../shared/resources/yards/queries.js';
import { yardListQuery } from '../../shared/resources/yards/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = getReadAccess('yard');

export const yardRoutes = defineRoutes('Fleet', (router, api) => {
  /**
   * @openapi
   * /yards:
   *   get:
   *     operationId: listYards
   *     summary: List yards
   *     description: Newest first.
   */
  router.get('/yards', serveList(api, { access: read, schema: yardListQuery, buildQuery: listYards }));

  /**
   * @openapi
   * /yards:
   *   post:
   *     operationId: createYard
   *     summary: Add a yard
   */
  router.post('/yards', serveWrite(api, createYard));

  /**
   * @openapi
   * /yards/{id}:
   *   get:
   *     operationId: getYard
   *     summary: Get one yard
   */
  router.get('/yards/:id', serveRecord(api, 'yard'));

  /**
   * @openapi
   * /yards/{id}:
   *   patch:
   *     operationId: updateYard
   *     summary: Change a yard
   *     description: 'JSON merge: an absent member is kept, null clears it.'
   */
  router.patch('/yards/:id', serveWrite(api, updateYard));
});
