import { renderError, toAppError } from '../../shared/http/error-response.js';
import type { AppError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';

const UNKNOWN_ERROR_TEXT = 'Something went wrong on our side. Quote the request id to support.';

/** Turns thrown errors into error responses, in the envelope of docs/specification.md §7. */
export function handleErrors(logger: Logger): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const appError = toAppError(error, UNKNOWN_ERROR_TEXT);
      if (appError.status >= 500)
        logger.error({ err: error, requestId: ctx.state.requestId }, 'request failed');
      writeError(ctx, appError);
    }
  };
}

export function writeError(ctx: ApiContext, error: AppError): void {
  ctx.status = error.status;
  ctx.set(error.headers);
  ctx.type = 'application/json';
  ctx.body = renderError(error.toBody(), ctx.state.requestId);
}
