import type { Command } from '../../shared/contracts/command.js';
import type { Session, SignIn } from '../../shared/contracts/generated.js';
import { validateAndReportUnknown } from '../../shared/contracts/schemas/validate.js';
import { sha256 } from '../../shared/platform/crypto.js';
import { appErrorFromBody, serviceUnavailable } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { readRecord } from '../../shared/records/render-records.js';
import { refuseCredential } from '../../shared/resources/api-keys/credential-cache.js';
import { createSession, endSession, type NewSession } from '../../shared/resources/sessions/commands.js';
import type { SignInCandidate } from '../../shared/resources/sessions/queries.js';
import { signIn } from '../../shared/resources/sessions/schema.js';
import { sessionTable } from '../../shared/resources/sessions/table.js';
import { mintSessionToken } from '../../shared/resources/sessions/token.js';
import { requireAccess } from '../middleware/access.js';
import { readBody } from '../middleware/body.js';
import { assertSameOrigin, setTokenCookie } from '../middleware/session-cookie.js';
import { reportUnknownNames } from '../middleware/warnings.js';
import { describeOrigin, serveWrite } from '../middleware/write.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';
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
   *       Idempotency-Key and dry run are not supported here.
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
  router.get(
    '/session',
    requireAccess({ permission: 'read', agentScope: null, isPersonOnly: true }),
    describeSession(api),
  );

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
    const { value } = await readBody(ctx);
    const credentials = validateAndReportUnknown<SignIn>(signIn, value, (names) =>
      reportUnknownNames(ctx, names),
    );
    const person =
      (await api.passwords.findPerson(credentials, ctx.ip)) ??
      (await refuseCredential(api, ctx.ip, 'E-mail or password is wrong.'));
    const token = mintSessionToken();
    const body = await storeSession(api, ctx, { person, token });
    const { expires_at: expiresAt } = JSON.parse(body) as Session;
    setTokenCookie(api, ctx, { token, expiresAt: new Date(expiresAt) });
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'application/json';
    ctx.body = body;
  };
}

/**
 * Stores the session. After the commit, resolves with the session's JSON. From then on, the cookie
 * with `token` is valid.
 */
async function storeSession(
  api: ApiRuntime,
  ctx: ApiContext,
  { person, token }: { person: SignInCandidate; token: string },
): Promise<string> {
  const actor = { id: person.id, kind: 'user', name: person.name } as const;
  const command: Command<NewSession> = {
    ...describeOrigin(ctx, { ...actor, tenantId: person.tenant_id, environment: 'live' }),
    type: createSession.type,
    entityId: newId(),
    input: {
      user_id: person.id,
      token_hash: sha256(token).toString('hex'),
      password_mark: sha256(person.password_hash).toString('hex'),
      address_mark: api.passwords.hashNetwork(person, ctx.ip),
    },
    dryRun: false,
    unknownFields: [],
    idempotency: null,
  };
  const submitted = await api.submit(command, 0);
  // The session may still be stored later. That is harmless, because no client has its token.
  if ('accepted' in submitted) throw serviceUnavailable('Signing in took too long. Try again shortly.');
  if (!submitted.ok) throw appErrorFromBody(submitted.error);
  return submitted.body;
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

/**
 * Makes the command run in the live tenant, even if the person has selected the sandbox. Only the
 * live tenant stores sessions.
 */
const switchToLiveTenant: ApiMiddleware = async (ctx, next) => {
  const { key } = ctx.state;
  if (key.session) ctx.state.key = { ...key, tenantId: key.session.tenantId, environment: 'live' };
  await next();
};

function clearCookie(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    if (!ctx.response.get('X-Service-Dry-Run')) setTokenCookie(api, ctx, {});
  };
}
