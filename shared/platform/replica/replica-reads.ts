import { AppError, getErrorCode } from '../errors.js';
import type { Logger } from '../logger.js';
import { type Database, openDatabase, type SqlQuery, type TenantReads } from '../postgres/database.js';
import { NOT_REPLAYED } from '../postgres/read.js';
import type { SystemPosition } from './newest-position.js';
import { ReplicaWatch } from './replica-watch.js';

/** SQLSTATE of a query that PostgreSQL cancelled after its timeout. */
const TIMED_OUT = '57014';

/** `behind`: the replica lacks the position. `failed`: it did not answer. Both read the primary. */
export type ReplicaReadOutcome = 'replica' | 'behind' | 'failed';

interface ReplicaReadsOptions {
  /** The primary, for reads that the replica cannot answer. */
  db: TenantReads;
  databaseUrl: string;
  poolSize: number;
  applicationName: string;
  logger: Logger;
  count: (outcome: ReplicaReadOutcome) => void;
}

/**
 * Reads from a replica what it has replayed, and everything else from the primary
 * (docs/adr/0036-reads-from-a-replica.md). The replica has connections of its own with the same
 * fairness between tenants. They are closed as soon as the replica stops answering.
 */
export class ReplicaReads {
  readonly #watch: ReplicaWatch;
  #replica: { db: Database; systemIdentifier: string } | undefined;
  /** Rejects the reads that wait for the replica. */
  readonly #waiting = new Set<(error: Error) => void>();

  constructor(private readonly options: ReplicaReadsOptions) {
    const { databaseUrl, applicationName, logger } = options;
    this.#watch = new ReplicaWatch({
      databaseUrl,
      applicationName,
      logger,
      onChange: (systemIdentifier) => this.#switchTo(systemIdentifier),
    });
  }

  /** Returns reads that see every transaction before these positions. */
  after(positions: readonly SystemPosition[]): TenantReads {
    const replica = this.#replica;
    const needed = findNewest(positions);
    if (!replica || !needed || needed.systemIdentifier !== replica.systemIdentifier) return this.options.db;
    return {
      read: <R>(tenantId: string, query: SqlQuery) =>
        this.#read<R>(tenantId, query, () => replica.db.read<R>(tenantId, query, needed)),
    };
  }

  async close(): Promise<void> {
    await this.#watch.close();
    this.#switchTo(undefined);
  }

  async #read<R>(tenantId: string, query: SqlQuery, readReplica: () => Promise<R[]>): Promise<R[]> {
    const { db, count } = this.options;
    try {
      const rows = await this.#orUntilLost(readReplica());
      count('replica');
      return rows;
    } catch (error) {
      // The limits on an account's slow reads and the time limit of a search hold on the replica,
      // too. The primary would only repeat the work.
      if (error instanceof AppError || (query.timeoutMs !== undefined && getErrorCode(error) === TIMED_OUT))
        throw error;
      count(getErrorCode(error) === NOT_REPLAYED ? 'behind' : 'failed');
      return db.read<R>(tenantId, query);
    }
  }

  #orUntilLost<T>(read: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(reject);
      read.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  #switchTo(systemIdentifier: string | undefined): void {
    const { databaseUrl, poolSize, applicationName, logger } = this.options;
    // Connections to a hanging server close when it answers again or its host is declared dead.
    void this.#replica?.db.close().catch(() => undefined);
    this.#replica =
      systemIdentifier === undefined
        ? undefined
        : { systemIdentifier, db: openDatabase({ databaseUrl, poolSize, applicationName, logger }) };
    for (const reject of this.#waiting) reject(new Error('the replica does not answer'));
    this.#waiting.clear();
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
