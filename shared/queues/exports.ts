import type { Queue } from 'bullmq';
import type { Runtime } from '../platform/runtime.js';
import { openQueue, PROMPT_OPTIONS } from './backend.js';

export const EXPORTS_QUEUE = 'exports';

/** A prompt to look at one export. Its row is the truth: a job too many does nothing, a lost one is found by the clock. */
export interface ExportJob {
  tenantId: string;
  exportId: string;
}

export type ExportsQueue = Queue<ExportJob>;

/** By process: a queue on PostgreSQL has some connections of its own, of which an embedded one has few. */
const opened = new WeakMap<Runtime['lifecycle'], ExportsQueue>();

/** The queue, opened once in a process, whoever asks; it is closed with the process. */
export function openExportsQueue(runtime: Runtime): ExportsQueue {
  const queue = opened.get(runtime.lifecycle) ?? openQueue<ExportJob>(runtime, EXPORTS_QUEUE, PROMPT_OPTIONS);
  opened.set(runtime.lifecycle, queue);
  return queue;
}

/** Asks the exports worker to look at these exports; one that it has been asked about, or has in hand, is not asked about twice. */
export async function promptExports(queue: ExportsQueue, refs: readonly ExportJob[]): Promise<void> {
  await Promise.all(
    refs.map(({ tenantId, exportId }) =>
      queue.add('export', { tenantId, exportId }, { jobId: `${tenantId}-${exportId}` }),
    ),
  );
}
