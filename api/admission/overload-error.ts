import { type AppError, serviceUnavailable } from '../../shared/platform/errors.js';

/** Creates the 503 for a request that would wait for too long. */
export function createOverloadError(): AppError {
  return serviceUnavailable('Too many requests are being handled. Send this one again in a moment.');
}
