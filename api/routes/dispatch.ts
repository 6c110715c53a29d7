import { DispatchBoardReader } from '../../shared/resources/dispatch-board/board-reader.js';
import { requireAccess } from '../middleware/access.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const dispatchRoutes = defineRoutes('Fleet', (router, api) => {
  const boards = new DispatchBoardReader(api.db);
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
    requireAccess({ permission: 'read', agentScope: 'read_dispatch' }),
    async (ctx) => {
      ctx.type = 'application/json';
      ctx.body = await boards.read(ctx.state.key.tenantId);
    },
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
