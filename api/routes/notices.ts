import type Router from '@koa/router';
import { markNoticeRead } from '../../shared/resources/notices/commands.js';
import { listNotices } from '../../shared/resources/notices/queries.js';
import { noticeListQuery } from '../../shared/resources/notices/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export function noticeRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /notices:
   *   get:
   *     operationId: listNotices
   *     tags: [Events]
   *     summary: List notices
   *     description: >-
   *       Newest first. Notices are about the account's own set-up, such as a webhook endpoint that
   *       fails. With a mail server the service also mails each notice to every person who can sign
   *       in, but never from a sandbox. Not for agent keys.
   *     x-query: NoticeListQuery
   *     responses:
   *       '200': { x-list: Notice }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get('/notices', serveList(api, { access: read, schema: noticeListQuery, buildQuery: listNotices }));

  /**
   * @openapi
   * /notices/{id}:
   *   get:
   *     operationId: getNotice
   *     tags: [Events]
   *     summary: Get one notice
   *     description: Not for agent keys.
   *     responses:
   *       '200': { x-resource: Notice }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/notices/:id',
    serveRecord(api, { access: read, entityType: 'notice', resourceLabel: 'notice' }),
  );

  /**
   * @openapi
   * /notices/{id}/read:
   *   post:
   *     operationId: markNoticeRead
   *     tags: [Events]
   *     summary: Mark a notice as read
   *     description: >-
   *       Applies to the whole account. A notice that is already read stays as it is. Not for agent
   *       keys.
   *     x-body: NoticeRead
   *     responses:
   *       '200': { x-resource: Notice }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/notices/:id/read', serveWrite(api, markNoticeRead, { resourceLabel: 'notice' }));
}
