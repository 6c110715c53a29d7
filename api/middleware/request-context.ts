import { observeRequest } from '../../shared/http/observe-request.js';
import { identifyRequest, readClientAddress } from '../../shared/http/request.js';
import { AppError } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';

/**
 * Assigns the request id, measures the request and writes its log entry. This middleware is the
 * outermost, so that every request passes through it.
 */
export function requestContext(runtime: Runtime): ApiMiddleware {
  return (ctx, next) =>
    observeRequest(runtime, ctx.req, async () => {
      const { state } = ctx;
      const path = parsePath(ctx);
      Object.assign(state, identifyRequest(ctx.req, ctx.res));
      ctx.request.ip = readClientAddress(ctx.req, runtime.config) ?? '';
      await next();
      // Check after the response is ready. Otherwise a client that waited through the start of the
      // shutdown would reuse a closed connection.
      if (runtime.lifecycle.isClosing) ctx.set('Connection', 'close');
      const { requestId, route, key } = state;
      return { requestId, route, status: ctx.status, key, path, ip: ctx.ip };
    });
}

/** Without this check the first middleware that reads the path would fail with a 500. */
export const refuseInvalidTarget: ApiMiddleware = (ctx, next) => {
  if (parsePath(ctx) === undefined)
    throw new AppError('validation_error', 'The request target is not a valid URL.');
  return next();
};

/** Koa throws for an absolute target that is no URL, such as `http://[/`. */
function parsePath(ctx: ApiContext): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}
