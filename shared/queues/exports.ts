import type { Queue } from 'bullmq';
import type { Runtime } from '../platform/process/runtime.js';
import { addJobs, openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

export const EXPORTS_QUEUE = 'exports';

/**
 * A wake-up job for one export. The export's row is the source of truth: a duplicate job does
 * nothing, and the clock replaces a lost job.
 */
export interface ExportJob {
  tenantId: string;
  exportId: string;
}

export type ExportsQueue = Queue<ExportJob>;

export function openExportsQueue(runtime: Runtime): ExportsQueue {
  return openQueue<ExportJob>(runtime, EXPORTS_QUEUE, WAKE_UP_JOB_OPTIONS);
}

/** Adds a wake-up job for each export, unless a job for this export already waits or runs. */
export async function promptExports(queue: ExportsQueue, refs: readonly ExportJob[]): Promise<void> {
  const jobs = refs.map(({ tenantId, exportId }) => ({
    data: { tenantId, exportId },
    jobId: `${tenantId}-${exportId}`,
  }));
  await addJobs(queue, 'export', jobs);
}
