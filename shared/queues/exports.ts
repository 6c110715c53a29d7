import type { Queue } from 'bullmq';
import type { Runtime } from '../platform/process/runtime.js';
import { openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

export const EXPORTS_QUEUE = 'exports';

/**
 * A wake-up job for one export. The row of the export is the source of truth: a duplicate job does
 * nothing, and the clock replaces a lost one.
 */
export interface ExportJob {
  tenantId: string;
  exportId: string;
}

export type ExportsQueue = Queue<ExportJob>;

/**
 * One queue per process, because a queue on PostgreSQL has its own connections and an embedded
 * PostgreSQL allows few.
 */
const openQueues = new WeakMap<Runtime['lifecycle'], ExportsQueue>();

/** Opens the queue once per process. The process closes it when it ends. */
export function openExportsQueue(runtime: Runtime): ExportsQueue {
  const queue =
    openQueues.get(runtime.lifecycle) ?? openQueue<ExportJob>(runtime, EXPORTS_QUEUE, WAKE_UP_JOB_OPTIONS);
  openQueues.set(runtime.lifecycle, queue);
  return queue;
}

/**
 * Adds a wake-up job for each of these exports. An export whose job is waiting or running gets no
 * second one.
 */
export async function promptExports(queue: ExportsQueue, refs: readonly ExportJob[]): Promise<void> {
  await Promise.all(
    refs.map(({ tenantId, exportId }) =>
      queue.add('export', { tenantId, exportId }, { jobId: `${tenantId}-${exportId}` }),
    ),
  );
}
