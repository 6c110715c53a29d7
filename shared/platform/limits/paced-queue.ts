import { FairQueue } from './fair-queue.js';

/** The time for which a {@link PacedQueue} works in each iteration of the event loop. */
const MS_PER_ITERATION = 20;

/**
 * Runs tasks round-robin from the tenants, and leaves the event loop most of its time for other
 * work.
 */
export class PacedQueue {
  private readonly tasks = new FairQueue<() => void>();
  private isScheduled = false;

  add(tenantId: string, task: () => void): void {
    this.tasks.push(tenantId, task);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.tasks.size === 0) return;
    this.isScheduled = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    this.isScheduled = false;
    const until = performance.now() + MS_PER_ITERATION;
    while (performance.now() < until) {
      const task = this.tasks.shift();
      if (!task) return;
      task();
    }
    this.schedule();
  }
}
