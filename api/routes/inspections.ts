import type Router from '@koa/router';
import { createInspection, updateInspection } from '../../shared/resources/inspections/commands.js';
import { listInspections } from '../../shared/resources/inspections/queries.js';
import { inspectionListQuery } from '../../shared/resources/inspections/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export function inspectionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /inspections:
   *   get:
   *     operationId: listInspections
   *     tags: [Fleet]
   *     summary: List inspections
   *     description: Newest first. Not for agent keys.
   *     x-query: InspectionListQuery
   *     responses:
   *       '200': { x-list: Inspection }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  const options = { access: read, schema: inspectionListQuery, buildQuery: listInspections };
  router.get('/inspections', serveList(api, options));

  /**
   * @openapi
   * /inspections:
   *   post:
   *     operationId: createInspection
   *     tags: [Fleet]
   *     summary: File an inspection
   *     description: >-
   *       The result is derived from the items and defects. An unresolved out_of_service defect
   *       blocks dispatch of its truck. Not for agent keys.
   *     x-body: InspectionCreate
   *     responses:
   *       '201': { x-resource: Inspection }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post('/inspections', serveWrite(api, createInspection, { resourceLabel: 'inspection' }));

  /**
   * @openapi
   * /inspections/{id}:
   *   get:
   *     operationId: getInspection
   *     tags: [Fleet]
   *     summary: Get one inspection
   *     description: Not for agent keys.
   *     responses:
   *       '200': { x-resource: Inspection }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/inspections/:id',
    serveRecord(api, { access: read, entityType: 'inspection', resourceLabel: 'inspection' }),
  );

  /**
   * @openapi
   * /inspections/{id}:
   *   patch:
   *     operationId: updateInspection
   *     tags: [Fleet]
   *     summary: Resolve or reopen defects of an inspection
   *     description: >-
   *       Defects are matched by id. Defects that are not sent are kept, and the result is derived
   *       again. JSON merge for notes. Not for agent keys.
   *     x-body: InspectionPatch
   *     responses:
   *       '200': { x-resource: Inspection }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.patch('/inspections/:id', serveWrite(api, updateInspection, { resourceLabel: 'inspection' }));
}
