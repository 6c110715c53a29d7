import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';

/** Rejects requests of a tenant whose clients do not read their responses, before any work. */
export function limitUnreadResponses({ unsentResponses }: Pick<Runtime, 'unsentResponses'>): ApiMiddleware {
  return async (ctx, next) => {
    const { tenantId } = ctx.state.key;
    unsentResponses.assertCapacity(tenantId);
    await next();
    const bytes = measureBody(ctx);
    // Concurrent requests may all pass the first check, so a read is checked again with its size. A
    // write is already committed and needs its response. An open stream checks before each write.
    if (ctx.method === 'GET' && bytes !== undefined) unsentResponses.assertCapacity(tenantId, bytes);
    unsentResponses.track(tenantId, ctx.res, bytes);
  };
}

/**
 * Counts responses to requests without a key for the client's network, and limits them. `/metrics`
 * and the health checks run before: the hosting platform needs them, and they are small.
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

/** Returns undefined when the route itself writes a stream. */
function measureBody({ body, respond }: ApiContext): number | undefined {
  if (respond === false) return undefined;
  return typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0;
}
