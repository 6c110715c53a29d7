/** So long a {@link PacedQueue} works in each iteration of the event loop. */
const MS_PER_ITERATION = 20;

/** Runs tasks in order of arrival, and leaves the event loop most of its time for other work. */
export class PacedQueue {
  private tasks: (() => void)[] = [];
  private next = 0;
  private isScheduled = false;

  add(task: () => void): void {
    this.tasks.push(task);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    this.isScheduled = false;
    const until = performance.now() + MS_PER_ITERATION;
    while (this.next < this.tasks.length && performance.now() < until) {
      this.tasks[this.next]?.();
      this.next += 1;
    }
    if (this.next < this.tasks.length) {
      this.schedule();
    } else {
      this.tasks = [];
      this.next = 0;
    }
  }
}
