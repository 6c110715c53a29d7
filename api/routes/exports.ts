import type Router from '@koa/router';
import { getErrorCode } from '../../shared/platform/errors.js';
import { cancelExport, createExport, retryExport } from '../../shared/resources/exports/commands.js';
import { listExports } from '../../shared/resources/exports/queries.js';
import { checkExportRequest } from '../../shared/resources/exports/request/check-export-request.js';
import {
  estimateExportRows,
  type RowEstimateInput,
} from '../../shared/resources/exports/request/estimate-rows.js';
import { exportListQuery } from '../../shared/resources/exports/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { createDownloadLinkAdder } from '../runtime/export-links.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const admin = { permission: 'admin', agentScope: null } as const;

export const exportRoutes = defineRoutes('Exports', (router, api) => {
  /**
   * @openapi
   * /exports:
   *   get:
   *     operationId: listExports
   *     summary: List exports
   *     description: Newest first.
   *   post:
   *     operationId: createExport
   *     summary: Export records as a file
   *     description: >-
   *       The response does not wait for the file. The service writes an account's exports one
   *       after another, and each file holds the records that exist when its export starts. GET
   *       /exports/{id} shows the progress and, in the end, the download link; the event
   *       export.completed is recorded when the file is ready. The filters are those of the
   *       resource's list. An account may have ten unfinished exports; another returns 409.
   */
  router.get(
    '/exports',
    serveList(api, {
      access: admin,
      schema: exportListQuery,
      buildQuery: listExports,
      transformItems: createDownloadLinkAdder(api),
    }),
  );
  router.post(
    '/exports',
    serveWrite(api, createExport, {
      prepareInput: async (input, ctx) => {
        const request = checkExportRequest(input);
        const { tenantId, timeZone } = ctx.state.key;
        return { ...request, estimated_rows: await estimateRows(api, { ...request, tenantId, timeZone }) };
      },
    }),
  );
  exportRecordRoutes(router, api);
});

/**
 * The SQLSTATEs lock_not_available and query_canceled. During the estimate, both mean that another
 * session holds an exclusive lock on a table.
 */
const TABLE_LOCKED = ['55P03', '57014'];

/**
 * Estimates the number of rows. Returns null if a table is locked, so that the request does not
 * wait for the lock.
 */
async function estimateRows({ db, logger }: ApiRuntime, request: RowEstimateInput): Promise<number | null> {
  try {
    return await estimateExportRows(db, request);
  } catch (error) {
    if (!TABLE_LOCKED.includes(getErrorCode(error))) throw error;
    logger.warn({ err: error, tenant: request.tenantId }, 'the rows of an export could not be estimated');
    return null;
  }
}

function exportRecordRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /exports/{id}:
   *   get:
   *     operationId: getExport
   *     summary: Get one export
   *     description: A completed export includes a download link, which works for 15 minutes.
   *   delete:
   *     operationId: cancelExport
   *     summary: Cancel an export, or delete its file
   *     description: >-
   *       A queued or running export is cancelled immediately. The file of a completed export is
   *       deleted, and its status becomes expired. Any other export stays as it is.
   */
  router.get('/exports/:id', serveRecord(api, 'export', { transformResponse: createDownloadLinkAdder(api) }));
  router.delete('/exports/:id', serveWrite(api, cancelExport));

  /**
   * @openapi
   * /exports/{id}/retry:
   *   post:
   *     operationId: retryExport
   *     summary: Run an export again
   *     description: >-
   *       Queues a failed, cancelled or expired export again with the same request; its file will
   *       hold the records that exist when it starts. 409 for an export in any other status, and
   *       for an eleventh unfinished export of the account.
   */
  router.post('/exports/:id/retry', serveWrite(api, retryExport));
}
