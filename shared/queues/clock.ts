import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { openQueue } from './backend.js';

export const CLOCK_QUEUE = 'clock';

/** A use of a key or session, to the minute; batched by the api processes. */
export interface KeyUse {
  tenant_id: string;
  id: string;
  at: string;
  /** true for a person's session. */
  session?: boolean;
}

export interface ClockJob {
  /** Set only in `touch-keys` jobs. */
  uses?: KeyUse[];
}

/**
 * The schedules of the clock and their intervals in milliseconds. Each schedule fires once, however
 * many clocks run.
 */
export const SCHEDULES = {
  'run-replays': 2_000,
  'resubmit-operations': 5_000,
  'prompt-messages': 10_000,
  'wake-lanes': 5_000,
  'mark-overdue': 30_000,
  'apply-terms': 10_000,
  'accrue-storage': 60_000,
  'expire-approvals': 30_000,
  'watch-billing': 30_000,
  'watch-claims': 60_000,
  'watch-endpoints': 5_000,
  'watch-exports': 5_000,
  'wake-connections': 5_000,
  'run-export-schedules': 30_000,
  'purge-expired': 600_000,
  'keep-partitions': 3_600_000,
} as const;

const JOB_OPTIONS = { attempts: 3, removeOnComplete: true, removeOnFail: { count: 100 } } as const;

export type ClockQueue = Queue<ClockJob>;

export function openClockQueue(runtime: Runtime): ClockQueue {
  return openQueue<ClockJob>(runtime, CLOCK_QUEUE, JOB_OPTIONS);
}

/** Creates the missing schedules: all of them on a new queue, or after Redis lost its data. */
export async function ensureSchedules(queue: ClockQueue): Promise<void> {
  for (const [name, every] of Object.entries(SCHEDULES)) {
    const found = await queue.getJobScheduler(name);
    if (!found) await queue.upsertJobScheduler(name, { every }, { name, data: {} });
  }
}

/** Adds a job that records the last use of these keys. */
export async function enqueueKeyUses(queue: ClockQueue, uses: KeyUse[]): Promise<void> {
  await queue.add('touch-keys', { uses }, { jobId: newId() });
}
