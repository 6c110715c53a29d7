import type Router from '@koa/router';
import { assertAccess } from '../../shared/contracts/access.js';
import { DispatchBoardReader } from '../../shared/resources/dispatch-board/board-reader.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

export function dispatchRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  const boards = new DispatchBoardReader(api.db);
  /**
   * @openapi
   * /dispatch-board:
   *   get:
   *     operationId: getDispatchBoard
   *     tags: [Fleet]
   *     summary: Get the dispatch board
   *     description: >-
   *       Work orders in progress, trucks with their drivers, and work orders without a truck, most
   *       urgent first. Agent keys need the scope read_dispatch.
   *     responses:
   *       '200': { x-resource: DispatchBoard }
   *       x-errors: [401, 403, 429, 503]
   */
  router.get('/dispatch-board', async (ctx) => {
    const { key } = ctx.state;
    assertAccess(key, { permission: 'read', agentScope: 'read_dispatch' });
    ctx.type = 'application/json';
    ctx.body = await boards.read(key.tenantId);
  });
}
