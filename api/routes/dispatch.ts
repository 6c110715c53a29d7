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
});
