import type { ConnectionCall } from '../../../shared/sync/call-rows.js';
import type { ConnectionQueue } from '../queue/connection-queue.js';

/** The least time between two logged calls of routine reads. */
const ROUTINE_LOG_MS = 60_000;

/**
 * Selects the calls of a routine read that are logged: those that failed, and a successful one a
 * minute. Entries for 17,000 polls a day would hide the other calls.
 */
export function selectLoggedCalls(
  queue: Pick<ConnectionQueue, 'routineLoggedAt'>,
  calls: readonly ConnectionCall[],
): readonly ConnectionCall[] {
  if (calls.some(({ error }) => error !== null)) return calls;
  const now = performance.now();
  if (now - queue.routineLoggedAt < ROUTINE_LOG_MS) return [];
  queue.routineLoggedAt = now;
  return calls;
}
