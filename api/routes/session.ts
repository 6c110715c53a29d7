import type { Session, SignIn } from '../../shared/contracts/generated.js';
import { readRecord } from '../../shared/records/render-records.js';
import { PERSON_READ } from '../../shared/records/resource-table.js';
import { refuseCredential } from '../../shared/resources/api-keys/credential-cache.js';
import { endSession } from '../../shared/resources/sessions/commands.js';
import { signIn } from '../../shared/resources/sessions/schema.js';
import { sessionTable } from '../../shared/resources/sessions/table.js';
import { requireAccess, worksWithoutFactor } from '../middleware/access.js';
import { readInput } from '../middleware/body.js';
import { assertSameOrigin, setTokenCookie } from '../middleware/session-cookie.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { switchToLiveTenant } from '../sign-in/live-tenant.js';
import { askForFactor } from '../sign-in/second-step.js';
import { startSession } from '../sign-in/start-session.js';
import { broadcastCredentialChange } from '../transforms/broadcast-credential-change.js';

export const sessionRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /session:
   *   post:
   *     operationId: signIn
   *     summary: Sign a person in
   *     description: >-
   *       Sets the session cookie, which the other routes accept in place of a key. With the cookie
   *       every write needs the header X-Requested-With, and X-Environment selects live or sandbox.
   *       Idempotency-Key and dry run are not supported here. A person with a second factor gets no
   *       cookie, but the error factor_required. Its first detail is a FactorChallenge, which POST
   *       /session/factor answers.
   *     security: []
   *     x-errors: [400, 401, 403, 406, 500, 503]
   */
  router.post('/session', declareFacts({ isPublic: true, body: signIn }, handleSignIn(api)));

  /**
   * @openapi
   * /session:
   *   get:
   *     operationId: getSession
   *     summary: Get the signed-in person
   *     description: Also shows which of the account's two environments this request acts on.
   */
  router.get('/session', worksWithoutFactor, requireAccess(PERSON_READ), describeSession(api));

  /**
   * @openapi
   * /session:
   *   delete:
   *     operationId: signOut
   *     summary: Sign out
   *     description: Effective everywhere within 5 seconds.
   */
  router.delete(
    '/session',
    worksWithoutFactor,
    broadcastCredentialChange(api, (ctx) => ctx.state.key.session?.id),
    clearCookie(api),
    switchToLiveTenant,
    serveWrite(api, endSession, {
      getTargetId: (ctx) => ctx.state.key.session?.id as string,
    }),
  );
});

function handleSignIn(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    await api.passwords.countRequest(ctx.ip);
    const credentials = await readInput<SignIn>(ctx, signIn);
    const person =
      (await api.passwords.findPerson(credentials, ctx.ip)) ??
      (await refuseCredential(api, ctx.ip, 'E-mail or password is wrong.'));
    await askForFactor(api, ctx, person);
    await startSession(api, ctx, { person });
  };
}

/**
 * Responds with the session and with the tenant that the request selects: live or sandbox. The
 * session itself is stored in the live tenant.
 */
function describeSession(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    const { key } = ctx.state;
    const { id, tenantId } = key.session as NonNullable<typeof key.session>;
    const body = await readRecord(api.db, sessionTable, { tenant_id: tenantId, id });
    const session = JSON.parse(body as string) as Session;
    const tenant = { id: key.tenantId, name: key.tenantName };
    ctx.body = { ...session, tenant, environment: key.environment };
  };
}

function clearCookie(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    if (!ctx.response.get('X-Service-Dry-Run')) setTokenCookie(api, ctx, {});
  };
}
