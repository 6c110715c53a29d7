import type { Runtime } from '../../shared/platform/runtime.js';
import {
  type Credential,
  countBadCredential,
  keyCredential,
  openCredentialCache,
  unauthorized,
} from '../../shared/resources/api-keys/credential-cache.js';
import { findSession } from '../../shared/resources/sessions/queries.js';
import { isWellFormedToken } from '../../shared/resources/sessions/token.js';
import type { AnyContext, ApiMiddleware } from '../context.js';
import { assertOwnPage, environmentOf, tokenOf } from './session-cookie.js';

/**
 * Finds who makes the request: the key behind `Authorization: Bearer …`, or the person behind the cookie of a session. The tenant comes from here and from
 * nowhere else. One code for every way a credential can be wrong; a store that cannot be asked is 503.
 */
export async function authenticate(runtime: Runtime): Promise<ApiMiddleware> {
  const findPrincipal = await openCredentialCache(runtime);
  return async (ctx, next) => {
    const credential = credentialOf(runtime, ctx);
    const keyNow = () => findPrincipal(credential);
    const key = await keyNow();
    if (!key) {
      await countBadCredential(runtime, ctx.ip);
      throw unauthorized(credential.refusal);
    }
    ctx.state.key = key;
    ctx.state.keyNow = keyNow;
    if (key.session) {
      // Caches on the way leave alone what has an Authorization header, but know nothing of our cookie.
      ctx.set('Cache-Control', 'no-store');
      assertOwnPage(runtime, ctx);
    }
    await next();
  };
}

/** Whoever sends a key means the key, also from a browser that has a cookie. */
function credentialOf(runtime: Runtime, ctx: AnyContext): Credential {
  const header = ctx.get('Authorization');
  const token = header ? undefined : tokenOf(runtime, ctx);
  if (token === undefined) {
    return keyCredential(runtime, header, 'Send your API key as "Authorization: Bearer <key>", or sign in.');
  }
  const environment = environmentOf(ctx);
  return {
    text: `${environment} ${token}`,
    isWellFormed: () => isWellFormedToken(token),
    find: () => findSession(runtime.db, { token, environment }),
    refusal: 'You are not signed in any more. Sign in again.',
  };
}
