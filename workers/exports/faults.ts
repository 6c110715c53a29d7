import { errorCodeOf, isTransientDatabaseError } from '../../shared/platform/errors.js';
import { StorageError } from '../../shared/platform/storage/storage.js';

/** Why an export could not be finished, in words for the account. */
export interface Fault {
  code: 'storage_full' | 'storage_refused' | 'storage_unavailable' | 'timed_out' | 'internal_error';
  message: string;
  /** Whether to begin again makes sense: PostgreSQL or the storage was away. */
  isPassing: boolean;
}

/** SQLSTATE query_canceled: by the statement's timeout. */
const QUERY_CANCELED = '57014';
/** SQLSTATEs have five characters, one of which at least is a digit; those of the system (EPERM) have none. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** SQLSTATEs with which a replica ends a reading that is in its way (40001), or a server goes down (57P01 to 57P03). */
const PASSING = ['40001', '57P01', '57P02', '57P03'];

/** Sorts an error of the snapshot or the storage. */
export function faultOf(error: unknown): Fault {
  if (error instanceof StorageError) {
    const { code, message } = error;
    return { code, message, isPassing: code === 'storage_unavailable' };
  }
  const code = errorCodeOf(error);
  if (code === QUERY_CANCELED) {
    const message = 'Reading the data took too long. Ask for less at a time.';
    return { code: 'timed_out', message, isPassing: false };
  }
  return {
    code: 'internal_error',
    message: 'Something went wrong on our side.',
    // What is wrong with a statement is so the next time; whatever else it is may not be.
    isPassing: PASSING.includes(code) || isTransientDatabaseError(error) || !SQLSTATE.test(code),
  };
}
