import type { Logger } from './logger.js';

type Closer = () => Promise<void> | void;

/** Longest time an ordered shutdown may take before the process gives up, in ms (Heroku and Kubernetes kill at 30 s). */
const CLOSE_DEADLINE_MS = 25_000;
/** Ctrl-C under npm arrives twice, from the terminal and from npm: signals so close together are one. */
const SAME_SIGNAL_MS = 1000;

/**
 * Closers run last-in first-out, so what was opened last (an HTTP listener, a worker) stops before what it stands on (queue, Redis,
 * PostgreSQL). One closer that fails or hangs never keeps the others from running.
 */
export class Lifecycle {
  private readonly closers: { name: string; close: Closer }[] = [];
  private closing: Promise<boolean> | undefined;

  constructor(private readonly logger: Logger) {}

  onClose(name: string, close: Closer): void {
    this.closers.push({ name, close });
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
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
   * Closes on SIGTERM and SIGINT and then exits: 0 when everything closed, 1 otherwise. A second signal, more than a second later, exits at
   * once. A signal that comes while the process still starts waits for that: what is half open cannot be closed.
   */
  closeOnSignals(started: Promise<unknown>): void {
    let signalledAt: number | undefined;
    const handle = async (signal: NodeJS.Signals) => {
      if (signalledAt !== undefined) {
        if (performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(1);
        return;
      }
      signalledAt = performance.now();
      this.logger.info({ signal }, 'shutting down');
      await started.catch(() => undefined);
      process.exit((await this.close()) ? 0 : 1);
    };
    process.on('SIGTERM', handle);
    process.on('SIGINT', handle);
  }
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
