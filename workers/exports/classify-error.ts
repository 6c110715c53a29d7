import { getErrorCode, isTransientDatabaseError } from '../../shared/platform/errors.js';
import { StorageError } from '../../shared/storage/storage.js';

export interface ClassifiedError {
  code: 'storage_full' | 'storage_refused' | 'storage_unavailable' | 'timed_out' | 'internal_error';
  message: string;
  /** A retry may succeed, for example because PostgreSQL or the storage was unreachable. */
  isTransient: boolean;
}

/** SQLSTATE query_canceled: the statement timeout expired. */
const QUERY_CANCELED = '57014';
/**
 * An SQLSTATE has five characters, at least one a digit. Error codes of the operating
 * system (EPERM) have none.
 */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/**
 * A replica cancels a conflicting query with 40001. A server that shuts down uses 57P01 to 57P03.
 */
const TRANSIENT_SQLSTATES = ['40001', '57P01', '57P02', '57P03'];

export function classifyExportError(error: unknown): ClassifiedError {
  if (error instanceof StorageError) {
    const { code, message } = error;
    return { code, message, isTransient: code === 'storage_unavailable' };
  }
  const code = getErrorCode(error);
  if (code === QUERY_CANCELED) {
    const message = 'Reading the data took too long. Request fewer rows at a time.';
    return { code: 'timed_out', message, isTransient: false };
  }
  return {
    code: 'internal_error',
    message: 'Something went wrong on our side.',
    // A query that PostgreSQL rejects will fail again. Other errors may not recur.
    isTransient:
      TRANSIENT_SQLSTATES.includes(code) || isTransientDatabaseError(error) || !SQLSTATE.test(code),
  };
}
