import type Router from '@koa/router';
import { assertAccess } from '../../shared/contracts/access.js';
import { buildReadQuery } from '../../shared/records/render-records.js';
import { updateSettings } from '../../shared/resources/settings/commands.js';
import { settingsTable } from '../../shared/resources/settings/table.js';
import { setETag } from '../middleware/etag.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext, RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

export function settingsRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /settings:
   *   get:
   *     operationId: getSettings
   *     tags: [Access]
   *     summary: Get the settings of this account
   *     description: A sandbox has its own settings.
   *     responses:
   *       '200': { x-resource: Settings }
   *       x-errors: [401, 403, 429, 503]
   */
  router.get('/settings', async (context) => {
    const ctx = context as unknown as ApiContext;
    const { key } = ctx.state;
    assertAccess(key, { permission: 'read', agentScope: null });
    const query = buildReadQuery(settingsTable, { tenant_id: key.tenantId, id: key.tenantId });
    const [row] = await api.db.read<{ body: string }>(key.tenantId, query);
    ctx.type = 'application/json';
    setETag(ctx, row?.body as string);
    ctx.body = row?.body;
  });

  /**
   * @openapi
   * /settings:
   *   patch:
   *     operationId: updateSettings
   *     tags: [Access]
   *     summary: Change the settings of this account
   *     description: 'JSON merge: an absent member is kept. Needs the permission admin.'
   *     x-body: SettingsPatch
   *     responses:
   *       '200': { x-resource: Settings }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.patch(
    '/settings',
    serveWrite(api, updateSettings, {
      resourceLabel: 'account',
      getTargetId: (ctx) => ctx.state.key.tenantId,
    }),
  );
}
