import type { Lifecycle } from '../../shared/platform/lifecycle.js';
import { EXIT } from './exit-codes.js';

/** Ctrl-C under npx arrives twice, from the terminal and from npx: signals so close together are one. */
const SAME_SIGNAL_MS = 1000;

/**
 * What SIGINT and SIGTERM do to a command: they close what it opened, such as an embedded server, and end the process with 1; or they tell a command
 * that wants to end by itself. The second time nobody is asked.
 */
export class Interruption {
  private readonly told = new AbortController();
  private isHeeded = false;
  private signalledAt: number | undefined;

  constructor(private readonly close: Lifecycle['close']) {}

  listen(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.interrupt());
  }

  /** From here on the command ends by itself when this is aborted. */
  heed(): AbortSignal {
    this.isHeeded = true;
    return this.told.signal;
  }

  private interrupt(): void {
    const now = performance.now();
    if (this.signalledAt !== undefined) {
      if (now - this.signalledAt > SAME_SIGNAL_MS) process.exit(EXIT.failed);
      return;
    }
    this.signalledAt = now;
    if (this.isHeeded) this.told.abort();
    else void this.close().then(() => process.exit(EXIT.failed));
  }
}
