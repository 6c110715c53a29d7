import {
  AppError,
  type ErrorBody,
  isTransientDatabaseError,
  serviceUnavailable,
} from '../platform/errors.js';

/**
 * Converts any thrown value to an error that clients may see.
 * @param ifUnknown the message for an error whose text must stay hidden
 */
export function toAppError(error: unknown, ifUnknown = 'Something went wrong on our side.'): AppError {
  if (error instanceof AppError) return error;
  if (isTransientDatabaseError(error))
    return serviceUnavailable('The store cannot be reached right now. Try again shortly.', error);
  return new AppError('internal_error', ifUnknown, { cause: error });
}

/** Renders an error in the envelope of docs/specification.md §7. */
export function renderError(error: ErrorBody, requestId: string): string {
  return JSON.stringify({ ok: false, error: { ...error, requestId } });
}
