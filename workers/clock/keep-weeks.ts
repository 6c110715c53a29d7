import { keepPartitions } from '../../migrations/partitions.js';
import type { Runtime } from '../../shared/platform/runtime.js';

/**
 * Makes the partitions of the coming weeks and drops those past their 30 days. What cannot be done now is told and tried again an hour later; the weeks made
 * ahead leave time for that.
 */
export async function keepWeeks({ databaseUrl, logger, metrics }: Runtime): Promise<Record<string, unknown>> {
  const kept = await keepPartitions(databaseUrl);
  if (!kept) return { isElsewhere: true };
  const { made, dropped, failures, faults } = kept;
  metrics.partitionFaults.set(faults.length);
  if (made.length + dropped.length > 0) logger.info({ made, dropped }, 'partitions made and dropped');
  if (failures.length + faults.length > 0)
    logger.warn({ failures, faults }, 'partitions are not as they should be');
  return { made: made.length, dropped: dropped.length };
}
