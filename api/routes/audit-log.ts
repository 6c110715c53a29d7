import { getReadAccess } from '../../shared/registry/tables.js';
import { listAuditEntries } from '../../shared/resources/audit-log/queries.js';
import { auditListQuery } from '../../shared/resources/audit-log/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { defineRoutes } from '../runtime/define-routes.js';

/**
 * The right to read the audit log. The permission `read` is not enough, because the audit log names
 * people, their IP addresses and keys.
 */
const audit = getReadAccess('audit_entry');

export const auditLogRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /audit-log:
   *   get:
   *     operationId: listAuditEntries
   *     summary: List audit log entries
   *     description: Newest first.
   */
  router.get(
    '/audit-log',
    serveList(api, { access: audit, schema: auditListQuery, buildQuery: listAuditEntries }),
  );

  /**
   * @openapi
   * /audit-log/{id}:
   *   get:
   *     operationId: getAuditEntry
   *     summary: Get one entry of the audit log
   */
  router.get('/audit-log/:id', serveRecord(api, 'audit_entry'));
});
