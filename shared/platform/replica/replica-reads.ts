import { AppError, getErrorCode } from '../errors.js';
import type { Logger } from '../logger.js';
import { type Database, openDatabase, type SqlQuery, type TenantReads } from '../postgres/database.js';
import { NOT_REPLAYED } from '../postgres/read.js';
import type { SystemPosition } from './newest-position.js';
import { ReplicaWatch } from './replica-watch.js';

/** SQLSTATE of a query that PostgreSQL cancelled after its timeout. */
const TIMED_OUT = '57014';

/** If no read is answered for this long while one waits, the connections lead nowhere. */
const SILENCE_MS = 2000;
/** No read takes longer: it waits for at most 6 s, and PostgreSQL cancels it after 5 s. */
const LONGEST_READ_MS = 12_000;
/** After reads without an answer, the replica is left alone for this long. */
const PAUSE_MS = 5000;
/** A connection ends after this time, because a balancer may lead the next one elsewhere. */
const CONNECTION_SECONDS = 60;

/**
 * `behind`: the replica lacks the position. `failed`: it did not answer. `unavailable`: it was not
 * asked, because it cannot be read, or because the token names no position of its system.
 */
export type ReplicaReadOutcome = 'replica' | 'behind' | 'failed' | 'unavailable';

interface ReplicaReadsOptions {
  /** The primary, for reads that the replica cannot answer. */
  db: TenantReads;
  readPosition: () => Promise<SystemPosition>;
  databaseUrl: string;
  poolSize: number;
  applicationName: string;
  logger: Logger;
  count: (outcome: ReplicaReadOutcome) => void;
}

interface OpenReplica {
  db: Database;
  systemIdentifier: string;
  answeredAt: number;
}

/**
 * Reads from a replica what it has replayed, and everything else from the primary
 * (docs/adr/0036-reads-from-a-replica.md). The replica has connections of its own with the same
 * fairness between tenants. They are closed as soon as the replica stops answering.
 */
export class ReplicaReads {
  readonly #watch: ReplicaWatch;
  #replica: OpenReplica | undefined;
  #pausedUntil = 0;
  /** Rejects the reads that wait for the replica. */
  readonly #waiting = new Set<(error: Error) => void>();

  constructor(private readonly options: ReplicaReadsOptions) {
    const { databaseUrl, applicationName, logger, readPosition } = options;
    this.#watch = new ReplicaWatch({
      databaseUrl,
      applicationName: `${applicationName}-watch`,
      logger,
      readPosition,
      onChange: (systemIdentifier) => this.#switchTo(systemIdentifier),
    });
  }

  /**
   * Returns reads that see every transaction before these positions. After the first read that the
   * replica cannot answer, all of them go to the primary, so that one response does not mix both.
   */
  after(positions: readonly SystemPosition[]): TenantReads {
    const { db, count } = this.options;
    const replica = performance.now() < this.#pausedUntil ? undefined : this.#replica;
    const needed = findNewest(positions);
    if (!replica || !needed || needed.systemIdentifier !== replica.systemIdentifier) {
      count('unavailable');
      return db;
    }
    let isRefused = false;
    return {
      read: async <R>(tenantId: string, query: SqlQuery): Promise<R[]> => {
        if (isRefused) return db.read<R>(tenantId, query);
        try {
          const rows = await this.#orUntilLost(replica, replica.db.read<R>(tenantId, query, needed));
          count('replica');
          return rows;
        } catch (error) {
          // The limits on an account's slow reads and the time limit of a query hold on the
          // replica, too. The primary would only repeat the work.
          if (error instanceof AppError || getErrorCode(error) === TIMED_OUT) throw error;
          count(getErrorCode(error) === NOT_REPLAYED ? 'behind' : 'failed');
          isRefused = true;
          return db.read<R>(tenantId, query);
        }
      },
    };
  }

  close(): void {
    this.#watch.close();
    this.#switchTo(undefined);
  }

  /** Settles like `read`, and rejects when the replica is lost or answers none of its reads. */
  #orUntilLost<T>(replica: OpenReplica, read: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    return new Promise<T>((resolve, reject) => {
      const timer = setInterval(() => {
        const now = performance.now();
        const isSilent = now - Math.max(startedAt, replica.answeredAt) >= SILENCE_MS;
        if ((isSilent || now - startedAt >= LONGEST_READ_MS) && replica === this.#replica) this.#pause();
      }, SILENCE_MS);
      const settle = () => {
        clearInterval(timer);
        this.#waiting.delete(giveUp);
      };
      const giveUp = (error: Error) => {
        settle();
        reject(error);
      };
      this.#waiting.add(giveUp);
      read.then(resolve, reject).finally(() => {
        replica.answeredAt = performance.now();
        settle();
      });
    });
  }

  /** The watch is answered, but the reads are not: a balancer led them to a server that hangs. */
  #pause(): void {
    this.options.logger.warn('the replica answers no reads; reads go to the primary');
    this.#pausedUntil = performance.now() + PAUSE_MS;
    this.#switchTo(this.#replica?.systemIdentifier);
  }

  #switchTo(systemIdentifier: string | undefined): void {
    const { databaseUrl, poolSize, applicationName, logger } = this.options;
    // Connections to a hanging server close when it answers again or its host is declared dead.
    void this.#replica?.db.close().catch(() => undefined);
    this.#replica =
      systemIdentifier === undefined
        ? undefined
        : {
            systemIdentifier,
            answeredAt: 0,
            db: openDatabase({
              databaseUrl,
              poolSize,
              applicationName,
              logger,
              connectionSeconds: CONNECTION_SECONDS,
            }),
          };
    for (const giveUp of this.#waiting) giveUp(new Error('the replica does not answer'));
  }
}

/** Returns undefined if the positions belong to different primaries. */
function findNewest(positions: readonly SystemPosition[]): SystemPosition | undefined {
  const [first, ...others] = positions;
  return others.reduce((newest, position) => {
    const isSamePrimary =
      newest?.timeline === position.timeline && newest.systemIdentifier === position.systemIdentifier;
    if (!isSamePrimary) return undefined;
    return parseLsn(position.lsn) > parseLsn(newest.lsn) ? position : newest;
  }, first);
}

/** Converts PostgreSQL's format, two hexadecimal halves. */
function parseLsn(lsn: string): bigint {
  const [high = '', low = ''] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
