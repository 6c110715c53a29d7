import type { AppError } from '../../platform/errors.js';

/** A worker has already recorded these errors in the audit log, with their command. */
const byWorkers = new WeakSet<AppError>();

export function markAudited(error: AppError): AppError {
  byWorkers.add(error);
  return error;
}

export function isAudited(error: AppError): boolean {
  return byWorkers.has(error);
}
