import { maintainPartitions } from '../../migrations/partitions.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { Task } from '../sweeps/schedule.js';

export const partitionTask: Task = {
  name: 'keep-partitions',
  everyMs: 3_600_000,
  prepare: (runtime) => () => maintainWeeklyPartitions(runtime),
};

/**
 * Creates the partitions of the coming weeks, and drops partitions older than 30 days. A failed
 * step is logged and tried again an hour later. This delay does no harm, because partitions exist
 * four weeks ahead.
 */
async function maintainWeeklyPartitions({
  databaseUrl,
  logger,
  metrics,
}: Runtime): Promise<Record<string, unknown>> {
  const changes = await maintainPartitions(databaseUrl);
  if (!changes) return { isElsewhere: true };
  const { made, dropped, failures, faults } = changes;
  metrics.partitionFaults.set(faults.length);
  if (made.length + dropped.length > 0) logger.info({ made, dropped }, 'partitions created and dropped');
  if (failures.length + faults.length > 0) logger.warn({ failures, faults }, 'partitions have problems');
  return { made: made.length, dropped: dropped.length };
}
