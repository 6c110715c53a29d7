import { KEY_CHANGED_CHANNEL } from '../../shared/resources/api-keys/credential-cache.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * After a successful write, broadcasts that a credential has changed. Every api process then
 * removes the credential from its cache. If the broadcast is lost, the credential stays in the
 * cache until its cache entry expires.
 * @param getId returns the id of the key, session or person whose credentials have changed
 */
export function broadcastCredentialChange(
  api: ApiRuntime,
  getId: (ctx: ApiContext) => string | undefined,
): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    const id = getId(ctx);
    if (ctx.status >= 300 || !id) return;
    await api.bus.publish(KEY_CHANGED_CHANNEL, id.toLowerCase()).catch((error: unknown) => {
      api.logger.warn({ err: error, keyId: id }, 'credential change not broadcast; its cache entries expire');
    });
  };
}
