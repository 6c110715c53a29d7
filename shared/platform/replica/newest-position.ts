import type { Database } from '../postgres/database.js';
import type { LogPosition } from '../postgres/read.js';
import type { KnownPrimary } from '../primary/known-primary.js';
import { parseIdentity } from '../primary/primary-identity.js';

/** A position, with the system of its primary. Unrelated systems use the same positions. */
export interface SystemPosition extends LogPosition {
  systemIdentifier: string;
}

const READ_POSITION = {
  name: 'read-log-position',
  text: `select system_identifier::text, pg_current_wal_insert_lsn()::text as lsn,
           pg_walfile_name(pg_current_wal_insert_lsn()) as wal_file
         from pg_control_system()`,
};

/** A write has been committed when this is asked, so its response must not wait for long. */
const ANSWER_MS = 500;
/** After this time the server of a query counts as gone, and the next query may be sent. */
const LOST_MS = 5000;

/** Reads where the primary's log ends. Callers that wait at the same time share one query. */
export class NewestPosition {
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<SystemPosition> | undefined;

  constructor(
    private readonly db: Pick<Database, 'query'>,
    private readonly primary: KnownPrimary,
  ) {}

  /**
   * Resolves with a position after every transaction that was committed before the call.
   * @throws if the primary does not answer in time, is an old one, or does not show its position
   */
  read(): Promise<SystemPosition> {
    if (this.#next) return this.#next;
    const query = this.#running.then(() => {
      // Callers from here on need a query of their own: this one may miss their commits.
      this.#next = undefined;
      return this.#query();
    });
    // A hanging query keeps a connection of the pool. The next one waits before it takes another.
    this.#running = rejectLate(query, LOST_MS).catch(() => undefined);
    this.#next = rejectLate(query, ANSWER_MS);
    return this.#next;
  }

  async #query(): Promise<SystemPosition> {
    const [row] = await this.db.query<{ lsn: string }>(READ_POSITION);
    const identity = parseIdentity(row as unknown as Record<string, unknown>);
    if (!row || !identity) throw new Error('the server is a standby');
    this.primary.learn(identity);
    this.primary.assertNewest(identity);
    return { ...identity, lsn: row.lsn };
  }
}

function rejectLate<T>(query: Promise<T>, afterMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the primary did not answer in time')), afterMs);
    query.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
