import pg from 'pg';
import type { Logger } from '../logger.js';
import { buildAppSessionOptions } from '../postgres/session.js';
import type { SystemPosition } from './newest-position.js';

const INTERVAL_MS = 1000;
/** A replica that does not answer in this time is not read. */
const ANSWER_MS = 1000;
/** A replica that lacks what the primary had this long ago is not read, whatever the tokens. */
export const MAX_LAG_MS = 10_000;

const READ_STATE = `select system_identifier::text, pg_is_in_recovery() as is_replica,
    coalesce(timeline_id = $1::int and pg_last_wal_replay_lsn() >= $2::pg_lsn, false) as is_close
  from pg_control_system(), pg_control_checkpoint()`;

interface StateRow {
  system_identifier: string;
  is_replica: boolean;
  is_close: boolean;
}

interface WatchOptions {
  databaseUrl: string;
  applicationName: string;
  logger: Logger;
  /** Reads where the primary's log ends. */
  readPosition: () => Promise<SystemPosition>;
  /** Called with the replica's system, and with undefined while the replica cannot be read. */
  onChange: (systemIdentifier: string | undefined) => void;
}

interface PastPosition {
  position: SystemPosition;
  readAt: number;
}

/**
 * Asks the replica every second whether it answers and follows the primary, on a connection of its
 * own. After a problem it connects again, because the address may lead to another server by then.
 */
export class ReplicaWatch {
  #client: pg.Client | undefined;
  #system: string | undefined;
  #isLooking = false;
  #isClosed = false;
  #loggedProblem: string | undefined;
  /** Positions of the primary, oldest first. */
  #past: PastPosition[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: WatchOptions) {
    this.#timer = setInterval(() => void this.#look(), INTERVAL_MS).unref();
    void this.#look();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#disconnect();
  }

  /** Asks once, unless an earlier question waits for its answer. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    try {
      await this.#readPosition();
      const { system_identifier, problem } = await this.#readState();
      if (problem) this.#disconnect();
      this.#report(problem ? undefined : system_identifier, problem);
    } catch (error) {
      this.#disconnect();
      this.#report(undefined, error instanceof Error ? error.message : String(error));
    } finally {
      this.#isLooking = false;
    }
  }

  /** While the primary does not answer, the replica has missed nothing. */
  async #readPosition(): Promise<void> {
    const position = await this.options.readPosition().catch(() => undefined);
    if (!position) return;
    const now = performance.now();
    this.#past.push({ position, readAt: now });
    // The first position that stays is the newest of those that are old enough.
    while ((this.#past[1]?.readAt ?? now) <= now - MAX_LAG_MS) this.#past.shift();
  }

  async #readState(): Promise<{ system_identifier: string; problem: string | undefined }> {
    this.#client ??= await this.#connect();
    const [oldest] = this.#past;
    const { timeline, lsn } = oldest?.position ?? { timeline: 0, lsn: '0/0' };
    const [row] = (await this.#client.query<StateRow>(READ_STATE, [timeline, lsn])).rows;
    if (!row) throw new Error('the replica returned no row');
    const mustBeClose = oldest !== undefined && oldest.readAt <= performance.now() - MAX_LAG_MS;
    const problem = !row.is_replica
      ? 'it is not a replica'
      : mustBeClose && !row.is_close
        ? `it is more than ${MAX_LAG_MS / 1000} s behind the primary, or follows another one`
        : undefined;
    return { system_identifier: row.system_identifier, problem };
  }

  async #connect(): Promise<pg.Client> {
    const { databaseUrl, applicationName } = this.options;
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      options: buildAppSessionOptions(databaseUrl, { keyed: false }),
    });
    // A lost connection also rejects the next query, so this event needs no handling.
    client.on('error', () => undefined);
    await client.connect();
    if (this.#isClosed) {
      await client.end();
      throw new Error('the watch was closed');
    }
    return client;
  }

  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    // A hanging server does not answer the goodbye, so do not wait for it.
    void client?.end().catch(() => undefined);
  }

  #report(system: string | undefined, problem: string | undefined): void {
    if (this.#isClosed) return;
    const { logger, onChange } = this.options;
    if (problem !== undefined && this.#loggedProblem !== problem)
      logger.warn({ problem }, 'the replica cannot be read; reads go to the primary');
    if (problem === undefined && this.#loggedProblem !== undefined)
      logger.info('the replica can be read again');
    this.#loggedProblem = problem;
    if (system === this.#system) return;
    this.#system = system;
    onChange(system);
  }
}
