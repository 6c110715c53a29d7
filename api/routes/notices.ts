import { markNoticeRead } from '../../shared/resources/notices/commands.js';
import { listNotices } from '../../shared/resources/notices/queries.js';
import { noticeListQuery } from '../../shared/resources/notices/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = { permission: 'read', agentScope: null } as const;

export const noticeRoutes = defineRoutes('Events', (router, api) => {
  /**
   * @openapi
   * /notices:
   *   get:
   *     operationId: listNotices
   *     summary: List notices
   *     description: >-
   *       Newest first. Notices are about the account's own set-up, such as a webhook endpoint that
   *       fails. With a mail server the service also mails each notice to every person who can sign
   *       in, but never from a sandbox.
   */
  router.get('/notices', serveList(api, { access: read, schema: noticeListQuery, buildQuery: listNotices }));

  /**
   * @openapi
   * /notices/{id}:
   *   get:
   *     operationId: getNotice
   *     summary: Get one notice
   */
  router.get('/notices/:id', serveRecord(api, 'notice'));

  /**
   * @openapi
   * /notices/{id}/read:
   *   post:
   *     operationId: markNoticeRead
   *     summary: Mark a notice as read
   *     description: Applies to the whole account. A notice that is already read stays as it is.
   */
  router.post('/notices/:id/read', serveWrite(api, markNoticeRead));
});
