import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.js';

type Closer = () => Promise<void> | void;

/**
 * The maximum duration of a whole shutdown. Heroku and Kubernetes kill a process 30 s after the
 * stop signal.
 */
const CLOSE_DEADLINE_MS = 25_000;
/** Ctrl-C under npm sends the signal twice. Signals within this interval count as one. */
const SAME_SIGNAL_MS = 1000;
/**
 * The time that closers get if the process is still starting. The cause of the slow start, such as
 * an unreachable store, usually blocks the closers too.
 */
const UNSTARTED_CLOSE_MS = 1500;

/** Thrown to interrupt a waiting start when the process receives a stop signal. */
export class ShutdownRequested extends Error {
  constructor() {
    super('interrupted: the process was told to stop before it had started');
    this.name = 'ShutdownRequested';
  }
}

export interface SignalOptions {
  /** Maximum time that a shutdown waits for a start in progress. Default: no limit. */
  startGraceMs?: number;
  /** Delay of the first closer. Meanwhile load balancers see /readyz fail. */
  delayMs?: number;
}

/**
 * Runs closers last-in first-out: an HTTP listener or a worker stops before the queue, Redis and
 * PostgreSQL. A closer that fails or hangs does not stop the others from running.
 */
export class Lifecycle {
  /** Parts whose closer failed or did not end in time. */
  readonly unclosed: string[] = [];
  private readonly closers: { name: string; close: Closer }[] = [];
  private closing: Promise<boolean> | undefined;
  private readonly shutdown = new AbortController();
  private readonly stopped: Promise<never>;

  constructor(private readonly logger: Logger) {
    const { signal } = this.shutdown;
    this.stopped = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new ShutdownRequested()));
    });
    // Without this handler, a shutdown would cause an unhandled rejection while no caller waits.
    this.stopped.catch(() => undefined);
  }

  onClose(name: string, close: Closer): void {
    this.closers.push({ name, close });
  }

  /** True as soon as a stop signal arrives or {@link close} is called. */
  get isClosing(): boolean {
    return this.closing !== undefined || this.shutdown.signal.aborted;
  }

  /**
   * Waits for the work.
   * @param work may never settle
   * @throws {ShutdownRequested} as soon as the process receives a stop signal
   */
  waitUnlessShutdown<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.stopped]);
  }

  /** Runs every closer once. Resolves with true if all ended in time and without an error. */
  close(deadlineMs: number = CLOSE_DEADLINE_MS): Promise<boolean> {
    this.closing ??= this.closeAll(Date.now() + deadlineMs);
    return this.closing;
  }

  private async closeAll(deadline: number): Promise<boolean> {
    for (const { name, close } of this.closers.reverse()) {
      const startedAt = Date.now();
      const isClosed = await withDeadline(close, Math.max(deadline - startedAt, 50)).catch(
        (error: unknown) => {
          this.logger.error({ err: error, part: name }, 'close failed');
          return false;
        },
      );
      if (isClosed) continue;
      this.unclosed.push(name);
      this.logger.error({ part: name, ms: Date.now() - startedAt }, 'did not close in time');
    }
    return this.unclosed.length === 0;
  }

  /**
   * Closes on SIGTERM and SIGINT, then exits. The exit code is 1 if the start failed or a part did
   * not close, else 0. A second signal, more than a second after the first, ends the process
   * immediately.
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
      const start = await waitForOutcome(started, startGraceMs);
      if (start === 'late') this.logger.warn('the start did not end; closing what is open');
      const isClean = await this.close(start === 'late' ? UNSTARTED_CLOSE_MS : CLOSE_DEADLINE_MS - delayMs);
      process.exit(isClean && start !== 'failed' ? 0 : 1);
    };
    process.on('SIGTERM', handle);
    process.on('SIGINT', handle);
  }
}

async function waitForOutcome(
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
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const closed = Promise.resolve()
    .then(close)
    .then(() => true);
  return Promise.race([closed, timeout]).finally(() => clearTimeout(timer));
}
