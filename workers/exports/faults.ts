import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import { isStorageFull } from '../../shared/platform/storage/index.js';

/** Why an export cannot be finished, in words for the tenant. */
export interface Fault {
  code: 'storage_full' | 'export_timed_out' | 'export_failed';
  message: string;
  /** Whether to begin again makes sense: PostgreSQL or the storage was away. */
  isPassing: boolean;
}

/** SQLSTATE query_canceled: by the statement's timeout. */
const QUERY_CANCELED = '57014';
/** SQLSTATEs with which a replica ends a reading that is in its way (40001), or a server goes down (57P01 to 57P03). */
const PASSING = ['40001', '57P01', '57P02', '57P03'];

/** Sorts an error of the snapshot or the storage. */
export function faultOf(error: unknown): Fault {
  const { code } = Object(error) as { code?: unknown };
  if (isStorageFull(error))
    return { code: 'storage_full', message: 'There is no room for the file.', isPassing: false };
  if (code === QUERY_CANCELED)
    return { code: 'export_timed_out', message: 'Reading the data took too long.', isPassing: false };
  const isPassing =
    PASSING.includes(String(code)) || isTransientDatabaseError(error) || !isDatabaseError(code);
  return { code: 'export_failed', message: 'Something went wrong on our side.', isPassing };
}

/** SQLSTATEs have five characters; what is wrong with a statement is so the next time. */
function isDatabaseError(code: unknown): boolean {
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
}
