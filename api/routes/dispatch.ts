import { type Access, assertAccess } from '../../shared/contracts/access.js';
import type { DispatchBoardQuery } from '../../shared/contracts/generated.js';
import { DispatchBoardReader } from '../../shared/resources/dispatch-board/board-reader.js';
import { dispatchBoardQuery } from '../../shared/resources/dispatch-board/schema.js';
import { requireAccess } from '../middleware/access.js';
import { readQuery } from '../middleware/query.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';

const READ: Access = { permission: 'read', agentScope: 'read_dispatch' };

export const dispatchRoutes = defineRoutes('Fleet', (router, api) => {
  const boards = new DispatchBoardReader();
  /**
   * @openapi
   * /dispatch-board:
   *   get:
   *     operationId: getDispatchBoard
   *     summary: Get the dispatch board
   *     description: >-
   *       Work orders in progress, trucks with their drivers, and work orders without a truck, most
   *       urgent first.
   *     x-resource: DispatchBoard
   */
  router.get(
    '/dispatch-board',
    declareFacts({ access: READ, query: dispatchBoardQuery, readsReplica: true }, async (ctx: ApiContext) => {
      const { key } = ctx.state;
      assertAccess(key, READ);
      const { expand } = readQuery<DispatchBoardQuery>(ctx, dispatchBoardQuery);
      const db = api.consistency.chooseReads(ctx);
      ctx.type = 'application/json';
      ctx.body = await (expand ? boards.readWithCustomers(db, key.tenantId) : boards.read(db, key.tenantId));
    }),
  );

  /**
   * @openapi
   * /map-style:
   *   get:
   *     operationId: getMapStyle
   *     summary: Get the style of the dispatch map
   *     description: >-
   *       The operator of the service sets it. Without one, the dashboard draws a plan without
   *       streets.
   *     x-resource: MapStyle
   */
  router.get('/map-style', requireAccess({ permission: 'read', agentScope: null }), (ctx) => {
    ctx.body = { style_url: api.config.map?.styleUrl ?? null };
  });
});
