import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { openQueue } from './backend.js';

export const CLOCK_QUEUE = 'clock';

/** A use of a key or session, to the minute. The api processes send uses in batches. */
export interface KeyUse {
  tenant_id: string;
  id: string;
  at: string;
  /** True for a person's session. */
  session?: boolean;
}

export interface ClockJob {
  /** Only in `touch-keys` jobs. */
  uses?: KeyUse[];
}

export interface Interval {
  /**
   * Name of the work in jobs, the log and PostgreSQL. It never changes, because clocks of two
   * versions run side by side during an upgrade.
   */
  name: string;
  everyMs: number;
}

const JOB_OPTIONS = { attempts: 3, removeOnComplete: true, removeOnFail: { count: 100 } } as const;

export type ClockQueue = Queue<ClockJob>;

export function openClockQueue(runtime: Runtime): ClockQueue {
  return openQueue<ClockJob>(runtime, CLOCK_QUEUE, JOB_OPTIONS);
}

/** Creates missing schedules: all on a new queue, or after Redis lost its data. */
export async function ensureSchedules(queue: ClockQueue, schedules: readonly Interval[]): Promise<void> {
  for (const { name, everyMs } of schedules) {
    const found = await queue.getJobScheduler(name);
    if (!found) await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {} });
  }
}

export async function enqueueKeyUses(queue: ClockQueue, uses: KeyUse[]): Promise<void> {
  await queue.add('touch-keys', { uses }, { jobId: newId() });
}
