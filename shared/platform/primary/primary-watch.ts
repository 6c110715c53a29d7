import type { Logger } from '../logger.js';
import type { KnownPrimary } from './known-primary.js';
import { describeIdentity, parseIdentity, READ_IDENTITY } from './primary-identity.js';

const INTERVAL_MS = 1000;
const LOG_AGAIN_MS = 60_000;

interface WatchOptions {
  primary: KnownPrimary;
  query: (query: typeof READ_IDENTITY) => Promise<Record<string, unknown>[]>;
  logger: Logger;
}

/**
 * Looks every second which primary PostgreSQL's address leads to, and which one the other processes
 * have seen. Without this, a process that only reads would not notice a promotion.
 */
export class PrimaryWatch {
  /** Why the server that the last look found must not be used; undefined if it may be used. */
  problem: string | undefined;
  private loggedAt = Number.NEGATIVE_INFINITY;
  private isLooking = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: WatchOptions) {
    const { logger, primary } = options;
    primary.onChange((previous, next) =>
      logger.warn(
        { previous, next },
        'PostgreSQL has another primary: a standby was promoted, or a cluster restored',
      ),
    );
    this.timer = setInterval(() => void this.look(), INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.lookOnce();
    } catch (error) {
      // Checks and queries report a store that is down.
      this.options.logger.debug({ err: error }, 'could not look for the primary of PostgreSQL');
    } finally {
      this.isLooking = false;
    }
  }

  private async lookOnce(): Promise<void> {
    const { primary, query, logger } = this.options;
    const [row] = await query(READ_IDENTITY);
    const found = parseIdentity(row);
    if (found) primary.learn(found);
    await primary.exchange();
    const { newest } = primary;
    const isStale = found && newest && found.timeline < newest.timeline;
    this.problem = isStale ? 'is an old primary, which another server has replaced' : undefined;
    if (!isStale || performance.now() - this.loggedAt < LOG_AGAIN_MS) return;
    this.loggedAt = performance.now();
    logger.error(
      { found, newest },
      `PostgreSQL's address leads to an old primary (${describeIdentity(found)}); writes wait until it leads to the newest one`,
    );
  }
}
