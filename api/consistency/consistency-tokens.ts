import type { Context } from 'koa';
import { deriveKey, seal, unseal } from '../../shared/platform/crypto.js';
import { AppError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { TenantReads } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { NewestPosition, type SystemPosition } from '../../shared/platform/replica/newest-position.js';
import { type ReplicaReadOutcome, ReplicaReads } from '../../shared/platform/replica/replica-reads.js';

export const CONSISTENCY_HEADER = 'X-Service-Consistency-Token';
/** Several tokens may be sent, because a client cannot see which of them is the newest. */
const MAX_TOKENS = 20;
const TOKEN = /^v1\.[\w-]{16}\.[\w-]{22}\.[\w-]{1,120}$/;
/** The content of a token that no replica satisfies. */
const PRIMARY_ONLY = 'primary';

/**
 * Consistency tokens, which let a client read its own writes from a replica
 * (docs/adr/0036-reads-from-a-replica.md). A token is encrypted, because the position in the log
 * tells how much all accounts write.
 */
export class ConsistencyTokens {
  private hasWarned = false;

  private constructor(
    private readonly db: TenantReads,
    private readonly key: Buffer,
    /** Undefined without a replica. */
    private readonly stores: { newest: NewestPosition; replica: ReplicaReads; logger: Logger } | undefined,
  ) {}

  static create(runtime: Runtime): ConsistencyTokens {
    const { config, db, primary, logger, lifecycle, metrics } = runtime;
    const key = deriveKey(config.secretKey, 'consistency');
    const { databaseReplicaUrl: databaseUrl } = config;
    if (!databaseUrl) return new ConsistencyTokens(db, key, undefined);
    const newest = new NewestPosition(db, primary);
    const count = (outcome: ReplicaReadOutcome) => metrics.replicaReads.inc({ outcome });
    const replica = new ReplicaReads({
      db,
      readPosition: () => newest.read(),
      databaseUrl,
      poolSize: config.databasePoolSize,
      applicationName: 'tow-replica-reads',
      logger,
      count,
    });
    lifecycle.onClose('replica', () => replica.close());
    return new ConsistencyTokens(db, key, { newest, replica, logger });
  }

  /**
   * Resolves with a token for all transactions that were committed before the call; with undefined
   * if there is no replica. If the position cannot be read, the token leads to the primary.
   */
  async issue(): Promise<string | undefined> {
    if (!this.stores) return undefined;
    const position = await this.stores.newest.read().catch((err: unknown) => this.warnOnce(err));
    return seal(this.key, position ? formatPosition(position) : PRIMARY_ONLY);
  }

  /** A primary that never shows its position would leave the replica unused. */
  private warnOnce(err: unknown): undefined {
    if (!this.hasWarned)
      this.stores?.logger.warn(
        { err },
        'no position of the primary for consistency tokens; lists after such writes read the primary',
      );
    this.hasWarned = true;
  }

  /** Issues a token and sets the response's header. */
  async addTo(ctx: Pick<Context, 'set'>): Promise<void> {
    const token = await this.issue();
    if (token) ctx.set(CONSISTENCY_HEADER, token);
  }

  /**
   * Returns the reads for a request: on the replica if it has what the request's tokens stand for,
   * otherwise and without a token on the primary.
   * @throws {AppError} 400 if the header is not a list of tokens
   */
  chooseReads(ctx: Pick<Context, 'get'>): TenantReads {
    const header = ctx.get(CONSISTENCY_HEADER);
    if (!header) return this.db;
    const tokens = header.split(',').map((token) => token.trim());
    if (tokens.length > MAX_TOKENS || !tokens.every((token) => TOKEN.test(token))) throw invalidTokens();
    if (!this.stores) return this.db;
    const positions = tokens.map((token) => this.#read(token));
    const known = positions.filter((position) => position !== undefined);
    return this.stores.replica.after(known.length < tokens.length ? [] : known);
  }

  /** Returns undefined for a token of another deployment or an earlier SECRET_KEY. */
  #read(token: string): SystemPosition | undefined {
    try {
      return parsePosition(unseal(this.key, token));
    } catch {
      return undefined;
    }
  }
}

function formatPosition({ systemIdentifier, timeline, lsn }: SystemPosition): string {
  return `${systemIdentifier} ${timeline} ${lsn}`;
}

function parsePosition(text: string): SystemPosition | undefined {
  const [systemIdentifier, timeline, lsn] = text.split(' ');
  if (!systemIdentifier || !timeline || !lsn) return undefined;
  return { systemIdentifier, timeline: Number(timeline), lsn };
}

function invalidTokens(): AppError {
  const message = `${CONSISTENCY_HEADER} must be one or more tokens of earlier responses, at most ${MAX_TOKENS}, with commas between them`;
  return new AppError('validation_error', `${message}.`, {
    details: [{ field: CONSISTENCY_HEADER, code: 'invalid', message }],
  });
}
