import type { OwnSession } from '../../shared/contracts/generated.js';
import { PERSON_READ } from '../../shared/records/resource-table.js';
import { endOtherSessions, endSession } from '../../shared/resources/sessions/commands.js';
import { listOwnSessions } from '../../shared/resources/sessions/queries.js';
import { ownSessionListQuery } from '../../shared/resources/sessions/schema.js';
import { worksWithoutFactor } from '../middleware/access.js';
import { serveList } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { switchToLiveTenant } from '../sign-in/live-tenant.js';
import { broadcastCredentialChange } from '../transforms/broadcast-credential-change.js';

export const mySessionRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /me/sessions:
   *   get:
   *     operationId: listOwnSessions
   *     summary: List your sessions
   *     description: Newest first, without sessions that have ended or expired.
   *     x-list: OwnSession
   */
  router.get(
    '/me/sessions',
    worksWithoutFactor,
    switchToLiveTenant,
    serveList(api, {
      access: PERSON_READ,
      schema: ownSessionListQuery,
      buildQuery: listOwnSessions,
      transformItems: async (items, ctx) => markCurrent(items, ctx),
    }),
  );

  /**
   * @openapi
   * /me/sessions:
   *   delete:
   *     operationId: endOtherSessions
   *     summary: End all your other sessions
   *     description: Effective everywhere within 5 seconds. The current session stays.
   *     x-resource: Session
   */
  router.delete(
    '/me/sessions',
    worksWithoutFactor,
    switchToLiveTenant,
    broadcastCredentialChange(api, (ctx) => ctx.state.key.id),
    serveWrite(api, endOtherSessions, { getTargetId: (ctx) => ctx.state.key.session?.id as string }),
  );

  /**
   * @openapi
   * /me/sessions/{id}:
   *   delete:
   *     operationId: endOwnSession
   *     summary: End one of your sessions
   *     description: Effective everywhere within 5 seconds.
   *     x-resource: Session
   */
  router.delete(
    '/me/sessions/:id',
    worksWithoutFactor,
    switchToLiveTenant,
    broadcastCredentialChange(api, (ctx) => ctx.params.id),
    serveWrite(api, endSession),
  );
});

function markCurrent(items: string, ctx: ApiContext): string {
  const sessions = JSON.parse(`[${items}]`) as OwnSession[];
  const marked = sessions.map((one) => ({ ...one, is_current: one.id === ctx.state.key.session?.id }));
  return JSON.stringify(marked).slice(1, -1);
}
