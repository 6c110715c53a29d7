import type { Command, CommandResult } from '../contracts/command.js';
import { FairQueue } from '../platform/fair-queue.js';

/** Jobs of one api process that may be under way at once; measured in design/performance.md. */
const MAX_JOBS_IN_FLIGHT = 3;
const MAX_COMMANDS_PER_JOB = 256;
const MAX_BYTES_PER_JOB = 1024 * 1024;

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
 * Gathers commands into jobs without a timer: a job leaves at the end of this turn of the event
 * loop while fewer than three are under way, and otherwise holds whatever arrived until one
 * returns. So one client waits for nobody, and many share a job, a transaction and a reply. What is
 * held takes turns by tenant, so one tenant's thousand commands delay another's first by no more
 * than the job that leaves next.
 */
export class CommandGatherer {
  private readonly waiting = new Map<string, Waiter>();
  /** What no job has taken yet. */
  private readonly held = new FairQueue<Waiter>();
  private jobsInFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private pumping = false;

  constructor(private readonly options: GathererOptions) {}

  get size(): number {
    return this.waiting.size;
  }

  /**
   * Sends a command and waits for its result. `late`: no reply by the deadline, which says nothing about the outcome. `refused`: the queue
   * did not take the job.
   */
  submit(submission: Submission): Promise<SubmitOutcome> {
    return new Promise((settle) => {
      const deadline = Date.now() + this.options.timeoutMs;
      const waiter: Waiter = { ...submission, deadline, settle, batch: undefined };
      const { id, tenantId } = submission.command;
      this.waiting.set(id, waiter);
      this.held.push(tenantId, waiter);
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
    if (this.pumping || this.held.size === 0) return;
    this.pumping = true;
    const { defer = setImmediate } = this.options;
    defer(() => {
      this.pumping = false;
      this.pump();
    });
  }

  private pump(): void {
    while (this.jobsInFlight < MAX_JOBS_IN_FLIGHT && this.held.size > 0) this.sendJob(this.takeJob());
  }

  private takeJob(): Waiter[] {
    const job: Waiter[] = [];
    let bytes = 0;
    // A tenant whose next command is too large for this job keeps its turn for the one after it.
    const fits = (tenantId: string) =>
      job.length === 0 || bytes + (this.held.firstOf(tenantId)?.bytes ?? 0) <= MAX_BYTES_PER_JOB;
    while (job.length < MAX_COMMANDS_PER_JOB) {
      const waiter = this.held.shift(fits);
      if (!waiter) break;
      job.push(waiter);
      bytes += waiter.bytes;
    }
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
      // What was not sent yet must not be sent after its caller was told something else.
      this.held.remove(waiter.command.tenantId, waiter);
    }
    this.pump();
    this.armTimer();
  }
}
