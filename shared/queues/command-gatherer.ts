import type { Command, CommandResult } from '../contracts/command.js';

/** Jobs of one api process that may be under way at once; measured in design/performance.md. */
const MAX_JOBS_IN_FLIGHT = 3;
const MAX_COMMANDS_PER_JOB = 256;
const MAX_BYTES_PER_JOB = 1024 * 1024;
/** Commands that may wait in one process. Past it a caller is told 503 at once instead of after the timeout. */
const MAX_WAITING = 20_000;

export interface Submission {
  command: Command;
  /** Size of the request's body in bytes. */
  bytes: number;
}

interface Waiter extends Submission {
  deadline: number;
  settle: (result: CommandResult | 'late' | { refused: unknown }) => void;
  batch: Batch | undefined;
}

interface Batch {
  open: number;
}

export interface GathererOptions {
  /** Puts a batch on the queue. */
  send: (commands: Command[]) => Promise<void>;
  timeoutMs: number;
  /** Runs something at the end of this turn of the event loop; setImmediate unless told. */
  defer?: (work: () => void) => void;
}

export type SubmitOutcome = CommandResult | 'late' | { refused: unknown };

/**
 * Gathers commands into jobs without a timer: a job leaves with the turn of the event loop while fewer than three are under way, and otherwise holds whatever arrived
 * until one returns. So one client waits for nobody, and many share a job, a transaction and a reply.
 */
export class CommandGatherer {
  private readonly waiting = new Map<string, Waiter>();
  private buffer: Waiter[] = [];
  private jobsInFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private pumping = false;

  constructor(private readonly options: GathererOptions) {}

  get size(): number {
    return this.waiting.size;
  }

  /** False when so many commands wait that one more would only time out. */
  get hasRoom(): boolean {
    return this.waiting.size < MAX_WAITING;
  }

  /**
   * Sends a command and waits for its result. `late`: no reply by the deadline, which says nothing about the outcome. `refused`: the queue
   * did not take the job.
   */
  submit(submission: Submission): Promise<SubmitOutcome> {
    return new Promise((settle) => {
      const deadline = Date.now() + this.options.timeoutMs;
      const waiter: Waiter = { ...submission, deadline, settle, batch: undefined };
      this.waiting.set(submission.command.id, waiter);
      this.buffer.push(waiter);
      this.armTimer();
      this.schedulePump();
    });
  }

  /** Takes a worker's reply. Results that nobody waits for any more are dropped: their commands are resolved by row. */
  receive(results: CommandResult[]): void {
    for (const result of results) {
      const waiter = this.waiting.get(result.id);
      if (waiter) this.finish(waiter, result);
    }
    this.schedulePump();
  }

  /**
   * At the end of this turn of the event loop: what the sockets brought in the same turn shares a job, and nobody waits for a clock. Under load this makes
   * jobs several times larger, and so the cost per command smaller.
   */
  private schedulePump(): void {
    if (this.pumping || this.buffer.length === 0) return;
    this.pumping = true;
    const { defer = setImmediate } = this.options;
    defer(() => {
      this.pumping = false;
      this.pump();
    });
  }

  private pump(): void {
    while (this.jobsInFlight < MAX_JOBS_IN_FLIGHT && this.buffer.length > 0) this.sendJob(this.takeJob());
  }

  private takeJob(): Waiter[] {
    let count = 0;
    let bytes = 0;
    for (const waiter of this.buffer) {
      bytes += waiter.bytes;
      if (count === MAX_COMMANDS_PER_JOB || (count > 0 && bytes > MAX_BYTES_PER_JOB)) break;
      count += 1;
    }
    const job = this.buffer.slice(0, count);
    this.buffer = this.buffer.slice(count);
    return job;
  }

  private sendJob(waiters: Waiter[]): void {
    const batch: Batch = { open: waiters.length };
    for (const waiter of waiters) waiter.batch = batch;
    this.jobsInFlight += 1;
    this.options.send(waiters.map((waiter) => waiter.command)).catch((error: unknown) => {
      for (const waiter of waiters) this.finish(waiter, { refused: error });
      this.schedulePump();
    });
  }

  private finish(waiter: Waiter, outcome: SubmitOutcome): void {
    if (!this.waiting.delete(waiter.command.id)) return;
    waiter.settle(outcome);
    const { batch } = waiter;
    if (!batch) return;
    batch.open -= 1;
    if (batch.open === 0) this.jobsInFlight -= 1;
  }

  /** All commands wait equally long, so the map's order is the order of the deadlines and one timer is enough. */
  private armTimer(): void {
    if (this.timer) return;
    const [first] = this.waiting.values();
    if (!first) return;
    this.timer = setTimeout(() => this.expire(), Math.max(first.deadline - Date.now(), 1));
    // Waiting for a reply is no reason to stay: whoever waits here holds a socket that is.
    this.timer.unref();
  }

  private expire(): void {
    this.timer = undefined;
    const now = Date.now();
    for (const waiter of this.waiting.values()) {
      if (waiter.deadline > now) break;
      this.finish(waiter, 'late');
    }
    // What was not sent yet must not be sent after its caller was told something else.
    this.buffer = this.buffer.filter((waiter) => this.waiting.has(waiter.command.id));
    this.pump();
    this.armTimer();
  }
}
