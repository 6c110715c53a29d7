import { readRecord } from '../../shared/records/render-records.js';
import { updateSettings } from '../../shared/resources/settings/commands.js';
import { settingsTable } from '../../shared/resources/settings/table.js';
import { requireAccess } from '../middleware/access.js';
import { setETag } from '../middleware/etag.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const settingsRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /settings:
   *   get:
   *     operationId: getSettings
   *     summary: Get the settings of this account
   *     description: A sandbox has its own settings.
   */
  router.get('/settings', requireAccess({ permission: 'read', agentScope: null }), async (ctx) => {
    const { key } = ctx.state;
    const body = await readRecord(api.db, settingsTable, { tenant_id: key.tenantId, id: key.tenantId });
    ctx.type = 'application/json';
    setETag(ctx, body as string);
    ctx.body = body;
  });

  /**
   * @openapi
   * /settings:
   *   patch:
   *     operationId: updateSettings
   *     summary: Change the settings of this account
   *     description: 'JSON merge: an absent member is kept.'
   */
  router.patch(
    '/settings',
    serveWrite(api, updateSettings, {
      getTargetId: (ctx) => ctx.state.key.tenantId,
      isSensitive: (input) => input.require_factor !== undefined,
    }),
  );
});
