import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.js';

type Closer = () => Promise<void> | void;

/** Longest time an ordered shutdown may take before the process gives up, in ms (Heroku and Kubernetes kill at 30 s). */
const CLOSE_DEADLINE_MS = 25_000;
/** Ctrl-C under npm arrives twice, from the terminal and from npm: signals so close together are one. */
const SAME_SIGNAL_MS = 1000;
/**
 * Time for closing a process whose start does not end: most of what hangs there hangs in its
 * closers too.
 */
const UNSTARTED_CLOSE_MS = 1500;

/** Ends a start that waits for something when the process is told to stop. */
export class ShutdownRequested extends Error {
  constructor() {
    super('interrupted: the process was told to stop before it had started');
    this.name = 'ShutdownRequested';
  }
}

export interface SignalOptions {
  /**
   * How long a signal waits for a start that is under way, because a half-open part cannot be
   * closed. Default: until it ends.
   */
  startGraceMs?: number;
  /**
   * Time between a signal and the first closer, in which load balancers see that /readyz is 503.
   */
  delayMs?: number;
}

/**
 * Closers run last-in first-out, so what was opened last (an HTTP listener, a worker) stops before what it stands on (queue, Redis,
 * PostgreSQL). One closer that fails or hangs never keeps the others from running.
 */
export class Lifecycle {
  private readonly closers: { name: string; close: Closer }[] = [];
  private closing: Promise<boolean> | undefined;
  private readonly shutdown = new AbortController();
  private readonly stopped: Promise<never>;

  constructor(private readonly logger: Logger) {
    const { signal } = this.shutdown;
    this.stopped = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new ShutdownRequested()));
    });
    // A shutdown that interrupts nothing is no unhandled rejection.
    this.stopped.catch(() => undefined);
  }

  onClose(name: string, close: Closer): void {
    this.closers.push({ name, close });
  }

  /** True from the first moment on: from the signal, or from {@link close}. */
  get isClosing(): boolean {
    return this.closing !== undefined || this.shutdown.signal.aborted;
  }

  /**
   * Waits for something that may never happen. @throws {ShutdownRequested} as soon as the process
   * is told to stop
   */
  unlessShutdown<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.stopped]);
  }

  /** Runs every closer once. Resolves true when all ended in time and without error. */
  close(deadlineMs: number = CLOSE_DEADLINE_MS): Promise<boolean> {
    this.closing ??= this.closeAll(Date.now() + deadlineMs);
    return this.closing;
  }

  private async closeAll(deadline: number): Promise<boolean> {
    let clean = true;
    for (const { name, close } of this.closers.reverse()) {
      const startedAt = Date.now();
      const ended = await withDeadline(close, Math.max(deadline - startedAt, 50)).catch((error: unknown) => {
        this.logger.error({ err: error, part: name }, 'close failed');
        return false;
      });
      clean &&= ended;
      if (!ended) this.logger.error({ part: name, ms: Date.now() - startedAt }, 'did not close in time');
    }
    return clean;
  }

  /**
   * Closes on SIGTERM and SIGINT and then exits: 0 when everything closed, 1 otherwise, also when
   * the start failed. A second signal, more than a second later, exits at once.
   */
  closeOnSignals(started: Promise<unknown>, { startGraceMs, delayMs = 0 }: SignalOptions = {}): void {
    let signalledAt: number | undefined;
    let hasStarted = false;
    started.then(
      () => {
        hasStarted = true;
      },
      () => undefined,
    );
    const handle = async (signal: NodeJS.Signals) => {
      if (signalledAt !== undefined) {
        if (performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(1);
        return;
      }
      signalledAt = performance.now();
      this.logger.info({ signal }, 'shutting down');
      this.shutdown.abort();
      if (hasStarted) await sleep(delayMs);
      const start = await outcomeOf(started, startGraceMs);
      if (start === 'late') this.logger.warn('the start did not end; closing what is open');
      const isClean = await this.close(start === 'late' ? UNSTARTED_CLOSE_MS : CLOSE_DEADLINE_MS - delayMs);
      process.exit(isClean && start !== 'failed' ? 0 : 1);
    };
    process.on('SIGTERM', handle);
    process.on('SIGINT', handle);
  }
}

async function outcomeOf(
  started: Promise<unknown>,
  graceMs: number | undefined,
): Promise<'done' | 'failed' | 'late'> {
  const outcome = started.then(
    () => 'done' as const,
    () => 'failed' as const,
  );
  return graceMs === undefined ? outcome : Promise.race([outcome, sleep(graceMs, 'late' as const)]);
}

async function withDeadline(close: Closer, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = Promise.resolve()
    .then(close)
    .then(() => true);
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
