import type { Logger } from '../logger.js';
import type { KnownPrimary } from './known-primary.js';
import {
  describeIdentity,
  isIdentityUnreadable,
  isSamePrimary,
  parseIdentity,
  READ_IDENTITY,
} from './primary-identity.js';

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
  private isAsking = false;
  private isExchanging = false;
  private hasWarned = false;
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

  /** Asks the server and the other processes. Neither waits for the other, because one may hang. */
  async look(): Promise<void> {
    await Promise.all([this.askServer(), this.exchange()]);
  }

  private async exchange(): Promise<void> {
    if (this.isExchanging) return;
    this.isExchanging = true;
    try {
      await this.options.primary.exchange();
    } catch (error) {
      // Checks report a Redis that is down.
      this.options.logger.debug({ err: error }, 'could not exchange the newest timeline of PostgreSQL');
    } finally {
      this.isExchanging = false;
    }
  }

  private async askServer(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      await this.findProblem();
    } catch (error) {
      this.reportError(error);
    } finally {
      this.isAsking = false;
    }
  }

  private async findProblem(): Promise<void> {
    const { primary, query, logger } = this.options;
    const [row] = await query(READ_IDENTITY);
    const found = parseIdentity(row);
    if (found) primary.learn(found);
    const { newest } = primary;
    if (!found) this.problem = 'is a standby, which takes no writes';
    else if (newest && newest.systemIdentifier !== found.systemIdentifier)
      this.problem = 'belongs to a system that this process has left; restart it if the address is right';
    else if (newest && !isSamePrimary(found, newest))
      this.problem = 'is an old primary, which another server has replaced';
    else this.problem = undefined;
    if (!this.problem || performance.now() - this.loggedAt < LOG_AGAIN_MS) return;
    this.loggedAt = performance.now();
    const server = found ? `an old primary (${describeIdentity(found)})` : 'a standby';
    logger.error(
      { found, newest },
      `PostgreSQL's address leads to ${server}; writes wait until it leads to the newest primary`,
    );
  }

  private reportError(err: unknown): void {
    const { logger } = this.options;
    if (isIdentityUnreadable(err) && !this.hasWarned) {
      this.hasWarned = true;
      logger.warn({ err }, 'PostgreSQL does not show its timeline, so an old primary is not refused');
    }
    // Checks and queries report a store that is down.
    logger.debug({ err }, 'could not look for the primary of PostgreSQL');
  }
}
