import {
  AppError,
  type ErrorBody,
  isTransientDatabaseError,
  serviceUnavailable,
} from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { AnyContext, ApiMiddleware } from '../context.js';

/** Turns whatever was thrown into the error envelope (specification section 7). The only place that does. */
export function handleErrors(logger: Logger): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const known = toAppError(error);
      if (known.status >= 500) logger.error({ err: error, requestId: ctx.state.requestId }, 'request failed');
      writeError(ctx, known);
    }
  };
}

/** Writes the envelope. */
export function writeError(ctx: AnyContext, error: AppError): void {
  ctx.status = error.status;
  ctx.set(error.headers);
  ctx.type = 'application/json';
  ctx.body = envelope(error.toBody(), ctx.state.requestId);
}

function envelope(error: ErrorBody, requestId: string): string {
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
