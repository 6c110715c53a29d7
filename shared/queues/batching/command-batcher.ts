import type { Command, CommandResult } from '../../contracts/command.js';
import { FairQueue } from '../../platform/limits/fair-queue.js';

/**
 * Maximum number of jobs per process that have no reply yet. docs/performance.md has the
 * measurements.
 */
const MAX_JOBS_IN_FLIGHT = 3;
const MAX_COMMANDS_PER_JOB = 256;
const MAX_BYTES_PER_JOB = 1024 * 1024;

export interface Submission {
  command: Command;
  /** Size of the request body. */
  bytes: number;
}

interface PendingCommand extends Submission {
  deadline: number;
  resolve: (result: CommandResult | 'late' | { refused: unknown }) => void;
  /** The batch that contains the command; undefined until the command is sent. */
  batch: Batch | undefined;
}

interface Batch {
  /** Number of commands in the batch that have no outcome yet. */
  open: number;
}

export interface BatcherOptions {
  send: (commands: Command[]) => Promise<void>;
  timeoutMs: number;
  /** Runs `work` at the end of this event-loop tick; setImmediate by default. */
  defer?: (work: () => void) => void;
}

export type SubmitOutcome = CommandResult | 'late' | { refused: unknown };

/**
 * Batches commands into jobs without a timer. While fewer than three jobs run, a job is sent at the
 * end of the event-loop tick. Otherwise, commands wait until a running job has its reply. Jobs take
 * the waiting commands round-robin from the tenants. A thousand commands of one tenant therefore
 * delay another tenant's first command by at most one job.
 */
export class CommandBatcher {
  /** Commands without an outcome, by id. */
  private readonly pending = new Map<string, PendingCommand>();
  /** Commands that are in no job yet. */
  private readonly unsent = new FairQueue<PendingCommand>();
  private jobsInFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private isSendScheduled = false;

  constructor(private readonly options: BatcherOptions) {}

  get size(): number {
    return this.pending.size;
  }

  /**
   * Queues a command and resolves with its outcome. `late` means that no reply arrived in time, so
   * the outcome is unknown. `refused` means that the job could not be added to the queue.
   */
  submit(submission: Submission): Promise<SubmitOutcome> {
    return new Promise((resolve) => {
      const deadline = Date.now() + this.options.timeoutMs;
      const pending: PendingCommand = { ...submission, deadline, resolve, batch: undefined };
      const { id, tenantId } = submission.command;
      this.pending.set(id, pending);
      this.unsent.push(tenantId, pending);
      this.armTimer();
      this.scheduleSend();
    });
  }

  /**
   * Resolves pending commands with these results. Ignores the result of a command that has already
   * resolved with `late`. The caller of such a command looks for the audit entry instead.
   */
  receive(results: CommandResult[]): void {
    for (const result of results) {
      const pending = this.pending.get(result.id);
      if (pending) this.finish(pending, result);
    }
    this.scheduleSend();
  }

  /**
   * Sends waiting commands at the end of this event-loop tick, so that all commands of the tick
   * share a job. Under load this makes jobs several times larger, which lowers the cost per
   * command.
   */
  private scheduleSend(): void {
    if (this.isSendScheduled || this.unsent.size === 0) return;
    this.isSendScheduled = true;
    const { defer = setImmediate } = this.options;
    defer(() => {
      this.isSendScheduled = false;
      this.sendJobs();
    });
  }

  private sendJobs(): void {
    while (this.jobsInFlight < MAX_JOBS_IN_FLIGHT && this.unsent.size > 0) this.sendJob(this.takeJob());
  }

  private takeJob(): PendingCommand[] {
    const job: PendingCommand[] = [];
    let bytes = 0;
    // If a tenant's next command does not fit, the tenant keeps its position in the round for the
    // next job.
    const fits = (tenantId: string) =>
      job.length === 0 || bytes + (this.unsent.peekFirst(tenantId)?.bytes ?? 0) <= MAX_BYTES_PER_JOB;
    while (job.length < MAX_COMMANDS_PER_JOB) {
      const next = this.unsent.shift(fits);
      if (!next) break;
      job.push(next);
      bytes += next.bytes;
    }
    return job;
  }

  private sendJob(commands: PendingCommand[]): void {
    const batch: Batch = { open: commands.length };
    for (const pending of commands) pending.batch = batch;
    this.jobsInFlight += 1;
    this.options.send(commands.map((pending) => pending.command)).catch((error: unknown) => {
      for (const pending of commands) this.finish(pending, { refused: error });
      this.scheduleSend();
    });
  }

  private finish(pending: PendingCommand, outcome: SubmitOutcome): void {
    if (!this.pending.delete(pending.command.id)) return;
    pending.resolve(outcome);
    const { batch } = pending;
    if (!batch) return;
    batch.open -= 1;
    if (batch.open === 0) this.jobsInFlight -= 1;
  }

  /**
   * Sets the timer to the first deadline. All commands have the same timeout, so the oldest command
   * in the map has the first deadline.
   */
  private armTimer(): void {
    if (this.timer) return;
    const [first] = this.pending.values();
    if (!first) return;
    this.timer = setTimeout(() => this.expire(), Math.max(first.deadline - Date.now(), 1));
    // The timer alone must not keep the process running. While clients wait, their open sockets
    // keep it running.
    this.timer.unref();
  }

  private expire(): void {
    this.timer = undefined;
    const now = Date.now();
    for (const pending of this.pending.values()) {
      if (pending.deadline > now) break;
      this.finish(pending, 'late');
      // An unsent command must not be sent after its caller has received `late`, because the caller
      // then stores the command as an operation.
      this.unsent.remove(pending.command.tenantId, pending);
    }
    this.sendJobs();
    this.armTimer();
  }
}
