import { KEY_CHANGED_CHANNEL } from '../../shared/resources/api-keys/credential-cache.js';
import type { ApiContext, ApiMiddleware } from '../context.js';
import type { ApiRuntime } from '../runtime.js';

/**
 * Tells every api process, once the write behind it is done, to look a credential up again. Should the message be lost, its cache entry runs out in time.
 * @param idOf the key, session or person whose credentials have changed
 */
export function announceChange(
  api: ApiRuntime,
  idOf: (ctx: ApiContext) => string | undefined,
): ApiMiddleware {
  return async (context, next) => {
    const ctx = context as ApiContext;
    await next();
    const id = idOf(ctx);
    if (ctx.status >= 300 || !id) return;
    await api.bus.publish(KEY_CHANGED_CHANNEL, id.toLowerCase()).catch((error: unknown) => {
      api.logger.warn({ err: error, keyId: id }, 'credential change not announced; caches drop it in time');
    });
  };
}
