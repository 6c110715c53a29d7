import type { AppError } from '../../platform/errors.js';

/** Refusals that a worker has written down already, with the command they are of. */
const byWorkers = new WeakSet<AppError>();

export function markAudited(error: AppError): AppError {
  byWorkers.add(error);
  return error;
}

export function isAudited(error: AppError): boolean {
  return byWorkers.has(error);
}
