import { assertAccess } from '../../shared/contracts/access.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { ADMIN } from '../../shared/records/resource-table.js';
import { readChoices } from '../../shared/resources/connections/queries.js';
import { choiceQuery } from '../../shared/resources/connections/schema.js';
import { readQuery } from '../middleware/query.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';

export const connectionChoiceRoutes = defineRoutes('Integrations', (router, api) => {
  /**
   * @openapi
   * /connections/{id}/choices:
   *   get:
   *     operationId: listConnectionChoices
   *     summary: List what the settings of a connection can name
   *     description: >-
   *       For the books: accounts and tax codes, all at once. They are read at the vendor after the
   *       sign-in and then daily; POST /connections/{id}/sync with the stream choices reads them
   *       now. Empty until they were read, and for vendors without choices.
   *     x-list: Choice
   */
  router.get(
    '/connections/:id/choices',
    declareFacts({ access: ADMIN, query: choiceQuery, isList: true }, async (ctx: ApiContext) => {
      const { key } = ctx.state;
      assertAccess(key, ADMIN);
      const { of: subject } = readQuery(ctx, choiceQuery);
      const connectionId = String(ctx.params.id).toLowerCase();
      const items = isUuid(connectionId)
        ? await readChoices(api.db, { tenantId: key.tenantId, connectionId, subject })
        : undefined;
      if (!items) throw notFound('connection');
      ctx.body = { ok: true, data: { items, cursor: null, count: items.length } };
    }),
  );
});
