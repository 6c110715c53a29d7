import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';

/**
 * Refuses a tenant's request before its route runs if the tenant's clients have too many unread
 * response bytes.
 */
export function limitUnreadResponses({ unsentResponses }: Pick<Runtime, 'unsentResponses'>): ApiMiddleware {
  return async (ctx, next) => {
    const { tenantId } = ctx.state.key;
    unsentResponses.assertCapacity(tenantId);
    await next();
    const bytes = measureBody(ctx);
    // Check a read again, now with the size of its response, because concurrent requests may all
    // have passed the first check. Never refuse a write here: it is committed, and its client needs
    // the response. A stream's size is undefined here; the stream checks before each of its writes.
    if (ctx.method === 'GET' && bytes !== undefined) unsentResponses.assertCapacity(tenantId, bytes);
    unsentResponses.track(tenantId, ctx.res, bytes);
  };
}

/**
 * Limits the unread response bytes of each client network, for requests without a key. `/metrics`
 * and the health checks run before this middleware, so they are not limited. The hosting platform
 * needs them, and their responses are small.
 */
export function limitUnreadPublicResponses({
  unsentResponses,
}: Pick<Runtime, 'unsentResponses'>): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    const bytes = measureBody(ctx);
    if (ctx.state.key || bytes === undefined) return;
    unsentResponses.admit(findNetworkPrefix(ctx.ip), ctx.res, bytes);
  };
}

/** Returns the body's size in bytes, or undefined if the route itself writes a stream. */
function measureBody({ body, respond }: ApiContext): number | undefined {
  if (respond === false) return undefined;
  return typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0;
}
