import type Joi from 'joi';
import { assertAccess } from '../../shared/contracts/access.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { ADMIN } from '../../shared/records/resource-table.js';
import {
  listBookDifferences,
  readReconciliation,
} from '../../shared/resources/books/reconciliation/queries.js';
import { bookDifferenceListQuery } from '../../shared/resources/books/reconciliation/schema.js';
import { reconcileConnection } from '../../shared/resources/connections/commands.js';
import { serveList } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';

type DifferenceQuery = { connection_id?: string; limit: number; cursor?: string };

export const bookReconciliationRoutes = defineRoutes('Integrations', (router, api) => {
  /**
   * @openapi
   * /connections/{id}/reconciliation:
   *   post:
   *     operationId: reconcileConnection
   *     summary: Compare months with the books
   *     description: >-
   *       The worker reads all sales invoices of these months in the books, within the vendor's
   *       limits, and compares them with the invoices here. The result replaces the last one of the
   *       connection. Connections that keep no books return 409.
   *   get:
   *     operationId: getReconciliation
   *     summary: Get the last comparison with the books
   *     description: >-
   *       The sums of each month on both sides, and the number of differences. While it runs, these
   *       are the ones found so far. 404 if the books were never compared.
   *     x-resource: BookReconciliation
   * /connections/{id}/reconciliation/differences:
   *   get:
   *     operationId: listBookDifferences
   *     summary: List what the last comparison with the books has found
   *     description: >-
   *       One item for each invoice that is not the same on both sides, newest first. At most 5,000
   *       are listed; omitted in the comparison counts the others.
   *     x-list: BookDifference
   */
  const path = '/connections/:id/reconciliation';
  router.post(path, serveWrite(api, reconcileConnection));
  router.get(
    path,
    declareFacts({ access: ADMIN }, async (ctx: ApiContext) => {
      const { key } = ctx.state;
      assertAccess(key, ADMIN);
      const connectionId = String(ctx.params.id).toLowerCase();
      const found = isUuid(connectionId)
        ? await readReconciliation(api.db, { tenantId: key.tenantId, connectionId })
        : undefined;
      if (!found) throw notFound('reconciliation');
      ctx.body = found;
    }),
  );
  router.get(
    `${path}/differences`,
    serveList(api, {
      access: ADMIN,
      schema: bookDifferenceListQuery as Joi.ObjectSchema<DifferenceQuery>,
      buildQuery: listBookDifferences,
      parent: { entityType: 'connection', member: 'connection_id' },
    }),
  );
});
