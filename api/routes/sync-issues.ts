import { ADMIN } from '../../shared/records/resource-table.js';
import { resolveSyncIssue } from '../../shared/resources/sync-issues/commands.js';
import { listSyncIssues } from '../../shared/resources/sync-issues/queries.js';
import { syncIssueListQuery } from '../../shared/resources/sync-issues/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const syncIssueRoutes = defineRoutes('Integrations', (router, api) => {
  /**
   * @openapi
   * /sync-issues:
   *   get:
   *     operationId: listSyncIssues
   *     summary: List records that differ from a vendor's, and writes that were given up
   *     description: Newest first.
   * /sync-issues/{id}:
   *   get:
   *     operationId: getSyncIssue
   *     summary: Get one sync issue
   * /sync-issues/{id}/resolve:
   *   post:
   *     operationId: resolveSyncIssue
   *     summary: Decide a sync issue
   *     description: >-
   *       retry and ours write our side again. theirs and ours apply to conflicts only; for other
   *       issues they return 409, as does an issue that is resolved already.
   */
  router.get(
    '/sync-issues',
    serveList(api, { access: ADMIN, schema: syncIssueListQuery, buildQuery: listSyncIssues }),
  );
  router.get('/sync-issues/:id', serveRecord(api, 'sync_issue'));
  router.post('/sync-issues/:id/resolve', serveWrite(api, resolveSyncIssue));
});
