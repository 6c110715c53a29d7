import type Router from '@koa/router';
import { errorCodeOf } from '../../shared/platform/errors.js';
import { checkOrder } from '../../shared/resources/exports/check-order.js';
import { cancelExport, createExport, retryExport } from '../../shared/resources/exports/commands.js';
import { type CountedOrder, planExport } from '../../shared/resources/exports/plan.js';
import { listExports } from '../../shared/resources/exports/queries.js';
import { exportListQuery } from '../../shared/resources/exports/schema.js';
import type { RequestState } from '../context.js';
import { linkExports } from '../export-links.js';
import { list, readOne } from '../middleware/read.js';
import { write } from '../middleware/write.js';
import type { ApiRuntime } from '../runtime.js';

const admin = { permission: 'admin', agentScope: null } as const;

export function exportRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /exports:
   *   get:
   *     operationId: listExports
   *     tags: [Exports]
   *     summary: List exports
   *     description: Newest first. Needs the permission admin.
   *     x-query: ExportListQuery
   *     responses:
   *       '200': { x-list: Export }
   *       x-errors: [400, 401, 403, 429, 503]
   *   post:
   *     operationId: createExport
   *     tags: [Exports]
   *     summary: Export records as a file
   *     description: >-
   *       Answered at once; the file is made by itself, one of an account after the other, of what is there when it is begun. GET tells how far it is, and in the
   *       end where it can be downloaded; the event export.completed tells the same. The filters are those of the resource's list. An eleventh that is not finished is 409. Needs the permission admin.
   *     x-body: ExportCreate
   *     responses:
   *       '202': { x-resource: Export }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.get(
    '/exports',
    list(api, {
      access: admin,
      schema: exportListQuery,
      statement: listExports,
      present: linkExports(api),
    }),
  );
  router.post(
    '/exports',
    write(api, createExport, {
      what: 'export',
      complete: async (input, ctx) => {
        const order = checkOrder(input);
        const { tenantId, timeZone } = ctx.state.key;
        return { ...order, estimated_rows: await estimate(api, { ...order, tenantId, timeZone }) };
      },
    }),
  );
  exportRecordRoutes(router, api);
}

/** SQLSTATEs lock_not_available and query_canceled: whoever has a table for itself just now keeps us from looking at it. */
const NOT_NOW = ['55P03', '57014'];

/** Nobody should have to wait with an export because it cannot be told how large it will be. */
async function estimate({ db, logger }: ApiRuntime, order: CountedOrder): Promise<number | null> {
  try {
    return await planExport(db, order);
  } catch (error) {
    if (!NOT_NOW.includes(errorCodeOf(error))) throw error;
    logger.warn({ err: error, tenant: order.tenantId }, 'the rows of an export could not be estimated');
    return null;
  }
}

function exportRecordRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /exports/{id}:
   *   get:
   *     operationId: getExport
   *     tags: [Exports]
   *     summary: Get one export
   *     description: Of a completed one with a link to download it, which works for some minutes. Needs the permission admin.
   *     responses:
   *       '200': { x-resource: Export }
   *       x-errors: [401, 403, 404, 429, 503]
   *   delete:
   *     operationId: cancelExport
   *     tags: [Exports]
   *     summary: Cancel an export, or delete its file
   *     description: >-
   *       One that is queued or running is cancelled at once. Of a completed one the file is deleted, and it is expired. One that has ended otherwise stays as
   *       it is. Needs the permission admin.
   *     x-write: true
   *     responses:
   *       '200': { x-resource: Export }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.get(
    '/exports/:id',
    readOne(api, { access: admin, entityType: 'export', what: 'export', present: linkExports(api) }),
  );
  router.delete('/exports/:id', write(api, cancelExport, { what: 'export' }));

  /**
   * @openapi
   * /exports/{id}/retry:
   *   post:
   *     operationId: retryExport
   *     tags: [Exports]
   *     summary: Begin an export again
   *     description: >-
   *       One that failed, was cancelled or has expired is queued again, as it was asked for; it will hold what is there then. Any other, and an eleventh that
   *       is not finished, is 409. Needs the permission admin.
   *     x-body: ExportAction
   *     responses:
   *       '200': { x-resource: Export }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/exports/:id/retry', write(api, retryExport, { what: 'export' }));
}
