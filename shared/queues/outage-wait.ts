import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionError } from '../platform/errors.js';

const PROBE_INTERVAL_MS = 500;
/** A job that waited this long fails, so that its process can stop and another worker can try. */
const MAX_WAIT_MS = 5000;

interface OutageWaitOptions {
  /** Resolves as soon as PostgreSQL responds. */
  probe: () => Promise<unknown>;
  /** True if the process stops; nothing waits then. */
  isClosing: () => boolean;
  probeIntervalMs?: number;
  maxWaitMs?: number;
}

/**
 * Keeps jobs that lost their connection until PostgreSQL responds again. A job that fails
 * immediately frees its place for the next one, which fails too. Without this wait, a worker with
 * many waiting jobs therefore tried each of them twice a second during an outage, and used half a
 * core and a quarter of Redis's (measured).
 */
export class OutageWait {
  private end: Promise<void> | undefined;

  constructor(private readonly options: OutageWaitOptions) {}

  /**
   * Runs the work. If it lost the connection, waits until PostgreSQL responds or the time is over.
   * @throws the error of the work, after the wait
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isConnectionError(error)) await this.waitForEnd();
      throw error;
    }
  }

  /** All jobs of the process wait for the same probes. */
  private waitForEnd(): Promise<void> {
    this.end ??= this.probeUntilEnd().finally(() => {
      this.end = undefined;
    });
    return this.end;
  }

  private async probeUntilEnd(): Promise<void> {
    const { probe, isClosing, probeIntervalMs = PROBE_INTERVAL_MS, maxWaitMs = MAX_WAIT_MS } = this.options;
    const deadline = Date.now() + maxWaitMs;
    const isReachable = () =>
      probe().then(
        () => true,
        () => false,
      );
    while (!(await isReachable()) && Date.now() < deadline && !isClosing()) await sleep(probeIntervalMs);
  }
}
