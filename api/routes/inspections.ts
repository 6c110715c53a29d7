import { createInspection, updateInspection } from '../../shared/resources/inspections/commands.js';
import { listInspections } from '../../shared/resources/inspections/queries.js';
import { inspectionListQuery } from '../../shared/resources/inspections/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = { permission: 'read', agentScope: null } as const;

export const inspectionRoutes = defineRoutes('Fleet', (router, api) => {
  /**
   * @openapi
   * /inspections:
   *   get:
   *     operationId: listInspections
   *     summary: List inspections
   *     description: Newest first.
   */
  const options = { access: read, schema: inspectionListQuery, buildQuery: listInspections };
  router.get('/inspections', serveList(api, options));

  /**
   * @openapi
   * /inspections:
   *   post:
   *     operationId: createInspection
   *     summary: File an inspection
   *     description: >-
   *       The result is derived from the items and defects. An unresolved out_of_service defect
   *       blocks dispatch of its truck.
   */
  router.post('/inspections', serveWrite(api, createInspection));

  /**
   * @openapi
   * /inspections/{id}:
   *   get:
   *     operationId: getInspection
   *     summary: Get one inspection
   */
  router.get('/inspections/:id', serveRecord(api, 'inspection'));

  /**
   * @openapi
   * /inspections/{id}:
   *   patch:
   *     operationId: updateInspection
   *     summary: Resolve or reopen defects of an inspection
   *     description: >-
   *       Defects are matched by id. Defects that are not sent are kept, and the result is derived
   *       again. JSON merge for notes.
   */
  router.patch('/inspections/:id', serveWrite(api, updateInspection));
});
