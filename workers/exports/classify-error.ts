import { getErrorCode, isTransientDatabaseError } from '../../shared/platform/errors.js';
import { StorageError } from '../../shared/storage/storage.js';

export interface ClassifiedError {
  code: 'storage_full' | 'storage_refused' | 'storage_unavailable' | 'timed_out' | 'internal_error';
  message: string;
  /** True if a retry may succeed, for example after PostgreSQL or the storage was unreachable. */
  isTransient: boolean;
}

/** SQLSTATE query_canceled: the statement timeout expired. */
const QUERY_CANCELED = '57014';
/**
 * Matches an SQLSTATE: five characters, at least one of them a digit. System error codes such as
 * EPERM contain no digit.
 */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/**
 * SQLSTATEs after which a retry may succeed: 40001 if a replica cancels a conflicting query, 57P01
 * to 57P03 if the server shuts down.
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
    // With any other SQLSTATE, PostgreSQL would reject the query again. An error without an
    // SQLSTATE may be transient.
    isTransient:
      TRANSIENT_SQLSTATES.includes(code) || isTransientDatabaseError(error) || !SQLSTATE.test(code),
  };
}
