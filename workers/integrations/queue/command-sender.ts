import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '../../../shared/contracts/command.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { enqueueBatch, type WritesQueue } from '../../../shared/queues/writes.js';

/**
 * The minimum time between two rounds of jobs. A job costs four transactions, however many commands
 * it has. Payments of many accounts would otherwise each have their own job.
 */
const INTERVAL_MS = 25;
const MAX_COMMANDS_PER_JOB = 256;
/** The commands of a step that has more share no job, so that no other account waits for them. */
const MAX_SHARING = 16;

/**
 * Submits the commands of steps. The first command leaves at once; commands of all connections that
 * follow within the interval share a job. The commands are stored as operations, so if the process
 * dies before it has sent them, the clock submits them.
 */
export class CommandSender {
  /** The commands of each step. */
  private waiting: (readonly Command[])[] = [];
  private sentAt = Number.NEGATIVE_INFINITY;
  private next: Promise<void> | undefined;

  constructor(
    private readonly writes: WritesQueue,
    private readonly logger: Logger,
  ) {}

  /** Resolves once the commands are in the queue, or could not be added. */
  async send(commands: readonly Command[]): Promise<void> {
    if (commands.length === 0) return;
    this.waiting.push(commands);
    this.next ??= this.sendNext();
    await this.next;
  }

  private async sendNext(): Promise<void> {
    await sleep(Math.max(0, this.sentAt + INTERVAL_MS - performance.now()));
    this.next = undefined;
    this.sentAt = performance.now();
    const jobs = gather(this.waiting);
    this.waiting = [];
    await Promise.all(jobs.map((commands) => this.sendJob(commands)));
  }

  private async sendJob(commands: Command[]): Promise<void> {
    await enqueueBatch(this.writes, commands, null).catch((error: unknown) =>
      this.logger.warn({ err: error }, 'could not submit the commands of connections; the clock will'),
    );
  }
}

/** Gathers the commands of steps into jobs. The commands of one step stay together, in order. */
function gather(steps: readonly (readonly Command[])[]): Command[][] {
  const jobs = steps.filter(({ length }) => length > MAX_SHARING).map((commands) => [...commands]);
  let shared: Command[] = [];
  for (const commands of steps.filter(({ length }) => length <= MAX_SHARING)) {
    if (shared.length + commands.length > MAX_COMMANDS_PER_JOB) {
      jobs.push(shared);
      shared = [];
    }
    shared.push(...commands);
  }
  return shared.length > 0 ? [...jobs, shared] : jobs;
}
