import { newId } from '../../shared/platform/ids.js';
import { openClockQueue } from '../../shared/queues/clock.js';
import type { TestStack } from './stack.js';

/**
 * Calls `act`, and meanwhile runs the clock's tasks `watch-billing` and `mark-overdue` once a
 * second instead of twice a minute.
 */
export async function withFastClock<T>(stack: TestStack, act: () => Promise<T>): Promise<T> {
  const clock = openClockQueue(stack.runtime);
  const timer = setInterval(() => {
    for (const task of ['watch-billing', 'mark-overdue']) void clock.add(task, {}, { jobId: newId() });
  }, 1000);
  return act().finally(() => clearInterval(timer));
}
