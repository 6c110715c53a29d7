import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  type Credential,
  readKeyCredential,
  refuseCredential,
} from '../../shared/resources/api-keys/credential-cache.js';
import { findSession } from '../../shared/resources/sessions/queries.js';
import { isWellFormedToken } from '../../shared/resources/sessions/token.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { assertNoCsrf, readEnvironment, readSessionToken } from './session-cookie.js';

/**
 * Finds the principal of a request by the key in `Authorization: Bearer …` or by the session
 * cookie. The tenant comes only from this credential; a signed-in person also selects live or
 * sandbox with X-Environment. Every invalid credential gets the same error code. If PostgreSQL is
 * unreachable, the response is 503.
 */
export function authenticate(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    const credential = readCredential(api, ctx);
    const findCurrentPrincipal = () => api.credentials.find(credential);
    const key =
      (await findCurrentPrincipal()) ?? (await refuseCredential(api, ctx.ip, credential.refusalMessage));
    ctx.state.key = key;
    ctx.state.findCurrentPrincipal = async () => {
      const current = await findCurrentPrincipal();
      return current?.session?.isFactorMissing ? undefined : current;
    };
    if (key.session) {
      // Forbid caches to store the response, because caches do not know that the cookie is a
      // credential. For the Authorization header, RFC 9111 §3.5 already forbids shared caches to
      // store responses.
      ctx.set('Cache-Control', 'no-store');
      assertNoCsrf(api, ctx);
    }
    await next();
  };
}

/**
 * Reads the credential from the Authorization header or, without this header, from the session
 * cookie. The header takes precedence, because a browser adds the cookie to every request, even if
 * the page sends a key.
 */
function readCredential(runtime: Runtime, ctx: ApiContext): Credential {
  const header = ctx.get('Authorization');
  const token = header ? undefined : readSessionToken(runtime, ctx);
  if (token === undefined) {
    return readKeyCredential(
      runtime,
      header,
      'Send your API key as "Authorization: Bearer <key>", or sign in.',
    );
  }
  const environment = readEnvironment(ctx);
  return {
    text: `${environment} ${token}`,
    isWellFormed: () => isWellFormedToken(token),
    find: () => findSession(runtime.db, { token, environment }),
    refusalMessage: 'You are not signed in any more. Sign in again.',
  };
}
