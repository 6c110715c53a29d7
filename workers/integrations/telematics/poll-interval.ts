import { MAX_POLL_SECONDS, MIN_POLL_SECONDS } from '../../../shared/integrations/contract/telematics.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { countOpenWorkOrders } from '../../../shared/resources/dispatch-board/count-open-work-orders.js';
import type { Step } from '../vendor/step.js';

/** From this many open jobs on, positions are read as often as possible. */
const MANY_JOBS = 10;

/** Returns the seconds between two reads of the positions, for a number of open jobs. */
export function choosePollSeconds(openJobs: number): number {
  if (openJobs === 0) return MAX_POLL_SECONDS;
  if (openJobs < 3) return 15;
  return openJobs < MANY_JOBS ? 10 : MIN_POLL_SECONDS;
}

/**
 * Returns the time until the positions are read again: as the account has set it, otherwise by the
 * number of its open jobs.
 */
export async function findPollMs(
  tx: Pick<Transaction, 'query'>,
  { tenantId, settings }: Step['connection'],
): Promise<number> {
  const { poll_seconds: seconds } = settings;
  if (typeof seconds === 'number') return Math.max(seconds, MIN_POLL_SECONDS) * 1000;
  return choosePollSeconds(await countOpenWorkOrders(tx, tenantId, MANY_JOBS)) * 1000;
}
