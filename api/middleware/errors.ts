import {
  AppError,
  type ErrorBody,
  isTransientDatabaseError,
  serviceUnavailable,
} from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { AnyContext, ApiMiddleware } from '../runtime/context.js';

/**
 * Converts every thrown error into the error envelope (docs/specification.md §7). No other
 * middleware does.
 */
export function handleErrors(logger: Logger): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const appError = toAppError(error);
      if (appError.status >= 500)
        logger.error({ err: error, requestId: ctx.state.requestId }, 'request failed');
      writeError(ctx, appError);
    }
  };
}

/** Writes the error envelope as the response. */
export function writeError(ctx: AnyContext, error: AppError): void {
  ctx.status = error.status;
  ctx.set(error.headers);
  ctx.type = 'application/json';
  ctx.body = renderEnvelope(error.toBody(), ctx.state.requestId);
}

function renderEnvelope(error: ErrorBody, requestId: string): string {
  return JSON.stringify({ ok: false, error: { ...error, requestId } });
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isTransientDatabaseError(error)) {
    return serviceUnavailable('The store cannot be reached right now. Try again shortly.', error);
  }
  return new AppError(
    'internal_error',
    'Something went wrong on our side. Quote the request id to support.',
    {
      cause: error,
    },
  );
}
