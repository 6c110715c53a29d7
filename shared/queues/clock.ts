import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { openQueue } from './backend.js';

export const CLOCK_QUEUE = 'clock';

/**
 * One use of an API key or a session. The processes that check keys report each key at most once a
 * minute.
 */
export interface KeyUse {
  tenant_id: string;
  id: string;
  at: string;
  /** True for a session, undefined for a key. */
  session?: boolean;
}

export interface ClockJob {
  /** Set only in `touch-keys` jobs. */
  uses?: KeyUse[];
}

export interface Interval {
  /**
   * Name of the work in jobs, the log and PostgreSQL. Never change a name: during an upgrade,
   * clocks of two versions run side by side and must use the same names.
   */
  name: string;
  everyMs: number;
}

const JOB_OPTIONS = { attempts: 3, removeOnComplete: true, removeOnFail: { count: 100 } } as const;

export type ClockQueue = Queue<ClockJob>;

export function openClockQueue(runtime: Runtime): ClockQueue {
  return openQueue<ClockJob>(runtime, CLOCK_QUEUE, JOB_OPTIONS);
}

/**
 * Creates the schedules that the queue lacks: all of them if the queue is new, or if Redis lost its
 * data.
 */
export async function ensureSchedules(queue: ClockQueue, schedules: readonly Interval[]): Promise<void> {
  for (const { name, everyMs } of schedules) {
    const found = await queue.getJobScheduler(name);
    if (!found) await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {} });
  }
}

export async function enqueueKeyUses(queue: ClockQueue, uses: KeyUse[]): Promise<void> {
  await queue.add('touch-keys', { uses }, { jobId: newId() });
}
