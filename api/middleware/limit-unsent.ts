import { networkOf } from '../../shared/platform/network-of.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { AnyContext, ApiMiddleware } from '../context.js';

/**
 * Refuses requests of a tenant whose clients do not read their answers, before any work is done for
 * them.
 */
export function limitUnsent({ unsentAnswers }: Pick<Runtime, 'unsentAnswers'>): ApiMiddleware {
  return async (ctx, next) => {
    const { tenantId } = ctx.state.key;
    unsentAnswers.assertRoom(tenantId);
    await next();
    const bytes = bytesOfBody(ctx);
    // Requests that came together were all let in. A write is committed by now and must be
    // answered. A stream that is open asks for room before each of its own writes.
    if (ctx.method === 'GET' && bytes !== undefined) unsentAnswers.assertRoom(tenantId, bytes);
    unsentAnswers.track(tenantId, ctx.res, bytes);
  };
}

/**
 * Counts answers that need no key for the network that asks, and refuses those for which it has no
 * room. What the platform asks (/metrics) comes before: it must be seen, and it is small.
 */
export function limitUnsentWithoutKey({ unsentAnswers }: Pick<Runtime, 'unsentAnswers'>): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    const bytes = bytesOfBody(ctx);
    if (ctx.state.key || bytes === undefined) return;
    const network = networkOf(ctx.ip);
    unsentAnswers.assertRoom(network, bytes);
    unsentAnswers.track(network, ctx.res, bytes);
  };
}

/** Undefined: the route writes a stream by itself. */
function bytesOfBody({ body, respond }: AnyContext): number | undefined {
  if (respond === false) return undefined;
  return typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0;
}
