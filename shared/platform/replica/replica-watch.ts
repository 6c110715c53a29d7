import pg from 'pg';
import type { Logger } from '../logger.js';
import { buildAppSessionOptions } from '../postgres/session.js';

const INTERVAL_MS = 1000;
/** A replica that does not answer in this time is not read. */
const ANSWER_MS = 1000;

const READ_STATE = `select system_identifier::text, pg_is_in_recovery() as is_replica,
    (select timeline_id from pg_control_checkpoint()) as timeline
  from pg_control_system()`;

interface StateRow {
  system_identifier: string;
  is_replica: boolean;
}

interface WatchOptions {
  databaseUrl: string;
  applicationName: string;
  logger: Logger;
  /** Called with the replica's system, and with undefined while the replica cannot be read. */
  onChange: (systemIdentifier: string | undefined) => void;
}

/**
 * Asks the replica every second whether it answers, on a connection of its own. Reads that wait for
 * a hanging replica can then go to the primary at once.
 */
export class ReplicaWatch {
  #client: pg.Client | undefined;
  #system: string | undefined;
  #isLooking = false;
  #isClosed = false;
  #loggedProblem: string | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: WatchOptions) {
    this.#timer = setInterval(() => void this.look(), INTERVAL_MS).unref();
    void this.look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#disconnect();
  }

  /** Asks once, unless an earlier question waits for its answer. */
  async look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    try {
      const { system_identifier, is_replica } = await this.#readState();
      // A replica that was promoted stops at the position at which it was promoted.
      this.#report(is_replica ? system_identifier : undefined, 'it is not a replica');
    } catch (error) {
      this.#report(undefined, error instanceof Error ? error.message : String(error));
      await this.#disconnect();
    } finally {
      this.#isLooking = false;
    }
  }

  async #readState(): Promise<StateRow> {
    this.#client ??= await this.#connect();
    const [row] = (await this.#client.query<StateRow>(READ_STATE)).rows;
    if (!row) throw new Error('the replica returned no row');
    return row;
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
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // A hanging server does not answer the goodbye, so do not wait for it.
    void client?.end().catch(() => undefined);
  }

  #report(system: string | undefined, problem: string): void {
    if (this.#isClosed) return;
    const { logger, onChange } = this.options;
    if (system === undefined && this.#loggedProblem !== problem) {
      this.#loggedProblem = problem;
      logger.warn({ problem }, 'the replica cannot be read; reads go to the primary');
    }
    if (system !== undefined && this.#loggedProblem !== undefined) {
      this.#loggedProblem = undefined;
      logger.info('the replica can be read again');
    }
    if (system === this.#system) return;
    this.#system = system;
    onChange(system);
  }
}
