import type { FactorProof, FactorSignIn } from '../../shared/contracts/generated.js';
import { PERSON_READ } from '../../shared/records/resource-table.js';
import { readFactorState, readFactors } from '../../shared/resources/factors/queries.js';
import { confirmSession, type SessionProof } from '../../shared/resources/sessions/commands.js';
import { factorSignIn } from '../../shared/resources/sessions/schema.js';
import { checkProof, type GivenProof } from '../factors/check-proof.js';
import { createPasskeyChallenge } from '../factors/passkeys.js';
import { findRelyingParty } from '../factors/relying-party.js';
import { requireAccess } from '../middleware/access.js';
import { readInput } from '../middleware/body.js';
import { assertSameOrigin } from '../middleware/session-cookie.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { countFactorTry } from '../runtime/sign-in-limits.js';
import { switchToLiveTenant } from '../sign-in/live-tenant.js';
import { describeWays, finishSignIn } from '../sign-in/second-step.js';

const getPerson = ({ state: { key } }: ApiContext) => ({ tenant_id: key.tenantId, id: key.id });

export const sessionFactorRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /session/factor:
   *   post:
   *     operationId: signInWithFactor
   *     summary: Finish signing in with a second factor
   *     description: >-
   *       Takes the challenge from the error factor_required of POST /session, and exactly one of
   *       code, recovery_code and passkey. Sets the session cookie. A challenge works for five
   *       minutes, for one session, and until the password changes.
   *     security: []
   *     x-resource: Session
   *     x-errors: [400, 401, 403, 406, 500, 503]
   */
  router.post('/session/factor', declareFacts({ isPublic: true, body: factorSignIn }, handleSecondStep(api)));

  /**
   * @openapi
   * /session/challenge:
   *   get:
   *     operationId: getSessionChallenge
   *     summary: Get a challenge for a second factor
   *     description: >-
   *       For POST /session/confirm with a passkey. Each challenge works once, for five minutes.
   *     x-resource: FactorChallenge
   */
  router.get('/session/challenge', requireAccess(PERSON_READ), switchToLiveTenant, issueChallenge(api));

  /**
   * @openapi
   * /session/confirm:
   *   post:
   *     operationId: confirmSession
   *     summary: Prove a second factor again
   *     description: >-
   *       Takes exactly one of code, recovery_code and passkey. For ten minutes, changes of keys,
   *       people, factors and credentials of connections are then accepted in this session.
   */
  router.post(
    '/session/confirm',
    switchToLiveTenant,
    serveWrite(api, confirmSession, {
      getTargetId: (ctx) => ctx.state.key.session?.id as string,
      prepareInput: (input, ctx) => checkSessionProof(api, ctx, input as unknown as FactorProof),
    }),
  );
});

function handleSecondStep(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    await api.passwords.countRequest(ctx.ip);
    const given = await readInput<FactorSignIn>(ctx, factorSignIn);
    await finishSignIn(api, ctx, given);
  };
}

function issueChallenge(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    const { key } = ctx.state;
    const passkey = createPasskeyChallenge();
    const { now } = await readFactorState(api.db, key);
    const factors = await readFactors(api.db, getPerson(ctx));
    const sealed = api.factors.sessions.seal({
      session_id: key.session?.id as string,
      passkey,
      issued_at: now.toISOString(),
    });
    ctx.body = { ...sealed, ...(await describeWays(api, ctx, { factors, challenge: passkey })) };
  };
}

async function checkSessionProof(
  api: ApiRuntime,
  ctx: ApiContext,
  { challenge, ...given }: FactorProof,
): Promise<SessionProof> {
  const sessionId = ctx.state.key.session?.id as string;
  await countFactorTry(api.limiter, `session/${sessionId}`);
  const opened = challenge === undefined ? undefined : api.factors.sessions.open(challenge);
  const own = opened?.session_id === sessionId ? opened : undefined;
  const proof = await checkProof(api.factors.key, given as GivenProof, {
    userId: ctx.state.key.id,
    factors: await readFactors(api.db, getPerson(ctx)),
    challenge: own?.passkey,
    party: findRelyingParty(api.config, ctx.get('Host')),
  });
  return { proof, ...(own && proof.kind === 'passkey' ? { issued_at: own.issued_at } : {}) };
}
