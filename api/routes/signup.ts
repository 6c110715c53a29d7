import type { SignUp, SignUpResend, SignUpVerify, User } from '../../shared/contracts/generated.js';
import { AppError } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { findSitePrefix } from '../../shared/platform/limits/network-prefix.js';
import {
  computeLinkToken,
  hashLinkToken,
  isLinkToken,
} from '../../shared/resources/access-mails/link-token.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import { refuseCredential } from '../../shared/resources/api-keys/credential-cache.js';
import {
  checkSignUpLimits,
  hashSite,
  type SignUpRefusal,
} from '../../shared/resources/sign-ups/sign-up-limits.js';
import {
  findOpenSignUp,
  type OpenSignUp,
  resendSignUpMail,
  storeSignUp,
} from '../../shared/resources/sign-ups/sign-up-rows.js';
import { createTenantPairIds } from '../../shared/resources/tenants/create-tenant.js';
import { completeSignUp } from '../../shared/resources/users/commands.js';
import { signUp, signUpResend, signUpVerify } from '../../shared/resources/users/joining-schema.js';
import { countJoiningRequest, countLinkTry, mayMailAddress } from '../joining/joining-limits.js';
import { brokenLink, submitByLink } from '../joining/link-commands.js';
import { readInput } from '../middleware/body.js';
import { assertSameOrigin } from '../middleware/session-cookie.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * The response is the same for every address, so that no client learns whether an address has an
 * account.
 */
const ACCEPTED = { ok: true, message: 'A mail with a link is on its way. It creates the account.' };

export const signUpRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /signup:
   *   get:
   *     operationId: getSignUpMode
   *     summary: Get who may create an account
   *     description: The operator's setting SIGNUP. The dashboard offers sign-up by it.
   *     security: []
   *     x-resource: SignUpMode
   *     x-errors: [406, 500, 503]
   */
  router.get(
    '/signup',
    declareFacts({ isPublic: true }, async (ctx: ApiContext) => {
      ctx.body = { mode: api.config.signUp.mode };
    }),
  );

  /**
   * @openapi
   * /signup:
   *   post:
   *     operationId: signUp
   *     summary: Ask for an account
   *     description: >-
   *       Creates nothing yet, but mails a link to the address. POST /signup/verify/{token} then
   *       creates the account. The response does not depend on whether the address has an account
   *       already. Returns 403 if sign-up is closed, or if the mode is invite and signup_token does
   *       not work.
   *     security: []
   *     x-resource: Acknowledgement
   *     x-errors: [400, 403, 406, 500, 503]
   */
  router.post('/signup', declareFacts({ isPublic: true, body: signUp, status: 202 }, startSignUp(api)));

  /**
   * @openapi
   * /signup/resend:
   *   post:
   *     operationId: resendSignUpMail
   *     summary: Send the mail of a sign-up again
   *     description: >-
   *       At most three mails are sent per sign-up. The response does not depend on whether there
   *       is one.
   *     security: []
   *     x-resource: Acknowledgement
   *     x-errors: [400, 403, 406, 500, 503]
   */
  router.post(
    '/signup/resend',
    declareFacts({ isPublic: true, body: signUpResend, status: 202 }, resend(api)),
  );

  /**
   * @openapi
   * /signup/verify/{token}:
   *   get:
   *     operationId: getSignUpOffer
   *     summary: Get what a sign-up link creates
   *     description: A link that does not work, for whatever reason, is 404.
   *     security: []
   *     x-resource: SignUpOffer
   *     x-errors: [406, 500, 503]
   */
  router.get('/signup/verify/:token', declareFacts({ isPublic: true }, showOffer(api)));

  /**
   * @openapi
   * /signup/verify/{token}:
   *   post:
   *     operationId: verifySignUp
   *     summary: Verify the address and create the account
   *     description: >-
   *       Creates the account, its sandbox, its owner and both first keys, which only this response
   *       shows. It needs the link and the password, so that nobody opens an account with another
   *       person's address, or confirms a stranger's sign-up by a click. A wrong password is 401.
   *       Signs nobody in: send POST /session next.
   *     security: []
   *     x-resource: SignUpCompleted
   *     x-errors: [400, 401, 403, 406, 500, 503]
   */
  router.post(
    '/signup/verify/:token',
    declareFacts({ isPublic: true, body: signUpVerify, status: 201 }, verify(api)),
  );
});

/** @throws {AppError} 403 if the operator has closed sign-up */
function assertNotClosed({ config }: ApiRuntime): void {
  if (config.signUp.mode === 'closed')
    throw new AppError('forbidden', 'Sign-up is closed. Ask the operator of this service for an account.');
}

function startSignUp(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    await countJoiningRequest(api.limiter, 'mails', ctx.ip);
    assertNotClosed(api);
    const { password, signup_token: token = '', ...who } = await readInput<SignUp>(ctx, signUp);
    const site_hash = hashSite(api.accessLinkKey, findSitePrefix(ctx.ip));
    const invited_by_hash = api.config.signUp.mode === 'invite' ? hashLinkToken(token) : null;
    const { perDay } = api.config.signUp;
    // Check the limits first, because hashing the password takes half a second.
    assertNotRefused(await checkSignUpLimits(api.db, { site_hash, invited_by_hash }, perDay));
    const id = newId();
    const password_hash = await api.passwords.hashForStranger({ password, address: ctx.ip });
    const token_hash = hashLinkToken(computeLinkToken(api.accessLinkKey, 'verify', id));
    const request = { ...who, id, password_hash, token_hash, invited_by_hash, site_hash };
    assertNotRefused(await storeSignUp(api.db, request, perDay));
    await api.promptAccessMails();
    ctx.status = 202;
    ctx.body = ACCEPTED;
  };
}

const REFUSALS: Readonly<Record<SignUpRefusal, () => AppError>> = {
  no_token: () =>
    new AppError('forbidden', 'Sign-up needs a token. Ask the operator of this service for one.'),
  too_many: () => createDayLimitError('Too many people sign up at this moment. Try again tomorrow.'),
  too_many_of_site: () =>
    createDayLimitError('Too many sign-ups came from your network. Try again tomorrow.'),
};

function createDayLimitError(message: string): AppError {
  return new AppError('rate_limited', message, { headers: { 'Retry-After': '3600' } });
}

/** @throws {AppError} 403 or 429 */
function assertNotRefused(refusal: SignUpRefusal | undefined): void {
  if (refusal) throw REFUSALS[refusal]();
}

function resend(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    await countJoiningRequest(api.limiter, 'mails', ctx.ip);
    assertNotClosed(api);
    const { email } = await readInput<SignUpResend>(ctx, signUpResend);
    if (await mayMailAddress(api.limiter, { purpose: 'sign-up', email, ip: ctx.ip })) {
      await resendSignUpMail(api.db, email);
      await api.promptAccessMails();
    }
    ctx.status = 202;
    ctx.body = ACCEPTED;
  };
}

function showOffer(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    const { company, email, expires_at } = await findByLink(api, ctx);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { company, email, expires_at: expires_at.toISOString() };
  };
}

function verify(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    assertNotClosed(api);
    const open = await findByLink(api, ctx);
    const { password } = await readInput<SignUpVerify>(ctx, signUpVerify);
    await countLinkTry(api.limiter, open.id);
    if (!(await api.passwords.isMatch({ password, hash: open.password_hash, address: ctx.ip })))
      return refuseCredential(api, ctx.ip, 'The password is not the one that was chosen at sign-up.');
    const pair = createTenantPairIds();
    const [live, sandbox] = [
      mintKey('api', 'live', api.sealingKey),
      mintKey('api', 'sandbox', api.sealingKey),
    ];
    const userId = newId();
    const { body } = await submitByLink(api, ctx, {
      definition: completeSignUp,
      tenantId: pair.live,
      actor: { id: userId, name: open.name },
      entityId: userId,
      input: {
        sign_up_id: open.id,
        sandbox_id: pair.sandbox,
        api_key: live.material,
        sandbox_key: sandbox.material,
      },
    });
    const { id, name, email } = JSON.parse(body) as User;
    ctx.set('Cache-Control', 'no-store');
    ctx.status = 201;
    ctx.body = {
      account: { id: pair.live, name: open.company },
      sandbox: { id: pair.sandbox },
      user: { id, name, email },
      api_key: live.key,
      sandbox_key: sandbox.key,
    };
  };
}

async function findByLink(api: ApiRuntime, ctx: ApiContext): Promise<OpenSignUp> {
  await countJoiningRequest(api.limiter, 'links', ctx.ip);
  const token = String(ctx.params.token);
  const open = isLinkToken(token) ? await findOpenSignUp(api.db, token) : undefined;
  if (!open) throw brokenLink();
  return open;
}
