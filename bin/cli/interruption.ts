import type { Lifecycle } from '../../shared/platform/lifecycle.js';
import { EXIT } from './exit-codes.js';

/** Signals within this interval count as one, because one Ctrl-C under npx sends two signals. */
const SAME_SIGNAL_MS = 1000;

/**
 * Handles SIGINT and SIGTERM for a command. By default, the first signal closes what the command
 * opened, such as an embedded server, and exits with 1. If the command has called `getSignal`, the
 * first signal only aborts the AbortSignal that `getSignal` returned. A later signal ends the
 * process immediately.
 */
export class Interruption {
  private readonly controller = new AbortController();
  private isHandledByCommand = false;
  private signalledAt: number | undefined;

  constructor(private readonly close: Lifecycle['close']) {}

  listen(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.interrupt());
  }

  /** Returns an AbortSignal that SIGINT or SIGTERM aborts. The command must then end by itself. */
  getSignal(): AbortSignal {
    this.isHandledByCommand = true;
    return this.controller.signal;
  }

  private interrupt(): void {
    const now = performance.now();
    if (this.signalledAt !== undefined) {
      if (now - this.signalledAt > SAME_SIGNAL_MS) process.exit(EXIT.failed);
      return;
    }
    this.signalledAt = now;
    if (this.isHandledByCommand) this.controller.abort();
    else void this.close().then(() => process.exit(EXIT.failed));
  }
}
