import { observeRequest } from '../../shared/http/observe-request.js';
import { identifyRequest, readClientAddress } from '../../shared/http/request.js';
import { AppError } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';

/**
 * Assigns the request id, measures the request and writes its log entry. Must be the outermost
 * middleware, so that every request passes through it.
 */
export function requestContext(runtime: Runtime): ApiMiddleware {
  return (ctx, next) =>
    observeRequest(runtime, ctx.req, async () => {
      const { state } = ctx;
      const path = parsePath(ctx);
      Object.assign(state, identifyRequest(ctx.req, ctx.res));
      ctx.request.ip = readClientAddress(ctx.req, runtime.config) ?? '';
      await next();
      // Check this after the request, because the shutdown may have begun while it ran. Without
      // this header, the client would send its next request on a connection that this process
      // closes.
      if (runtime.lifecycle.isClosing) ctx.set('Connection', 'close');
      const { requestId, route, key } = state;
      return { requestId, route, status: ctx.status, key, path, ip: ctx.ip };
    });
}

/**
 * Responds with 400 to an invalid request target. Without this check, the first middleware that
 * reads the path would fail with a 500.
 */
export const refuseInvalidTarget: ApiMiddleware = (ctx, next) => {
  if (parsePath(ctx) === undefined)
    throw new AppError('validation_error', 'The request target is not a valid URL.');
  return next();
};

/**
 * Returns the path, or undefined if the request target is not a valid URL, such as `http://[/`. Koa
 * throws for such a target.
 */
function parsePath(ctx: ApiContext): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}
