import type { AppError } from '../../platform/errors.js';

/**
 * Errors that a worker has already recorded in the audit log. The api and mcp processes do not
 * record them again.
 */
const byWorkers = new WeakSet<AppError>();

export function markAudited(error: AppError): AppError {
  byWorkers.add(error);
  return error;
}

export function isAudited(error: AppError): boolean {
  return byWorkers.has(error);
}
