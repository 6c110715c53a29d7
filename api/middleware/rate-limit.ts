import { buildRateLimitHeaders } from '../../shared/http/rate-limit-response.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { countRequest } from '../../shared/resources/api-keys/rate-limit.js';
import type { ApiMiddleware } from '../runtime/context.js';

/**
 * Counts the request against the rate limits of its key or signed-in person. Reports these limits
 * in headers.
 */
export function limitRate(runtime: Runtime): ApiMiddleware {
  return async (ctx, next) => {
    const { windows, refusal } = await countRequest(runtime, ctx.state.key);
    ctx.state.rateLimitWindows = windows;
    ctx.set(buildRateLimitHeaders(windows));
    if (refusal) throw refusal;
    await next();
  };
}
