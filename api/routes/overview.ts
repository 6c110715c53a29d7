import { OverviewReader } from '../../shared/resources/overview/overview-reader.js';
import { requireAccess } from '../middleware/access.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const overviewRoutes = defineRoutes('Access', (router, api) => {
  const overviews = new OverviewReader(api.db);
  /**
   * @openapi
   * /overview:
   *   get:
   *     operationId: getOverview
   *     summary: Get what matters now, in numbers
   *     description: >-
   *       Open work orders, money by age, webhook deliveries of the last 24 hours, and what the
   *       account has done so far. For accounts with many records, the numbers may be 5 seconds
   *       old.
   *     x-resource: Overview
   */
  router.get('/overview', requireAccess({ permission: 'read', agentScope: null }), async (ctx) => {
    ctx.type = 'application/json';
    ctx.body = await overviews.read(ctx.state.key);
  });
});
