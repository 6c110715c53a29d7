import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { getErrorCode } from '../../../../shared/platform/errors.js';
import type { PatroniMember } from './member.js';

const TIMEOUT_MS = 60_000;
/** A write that waits longer for a standby counts as not acknowledged. */
const QUERY_TIMEOUT_MS = 3000;
const INSERT = 'insert into stale_writes values (1)';
/** SQLSTATE of a write to a standby. */
const READ_ONLY = '25006';

export interface StaleWrites {
  attempts: number;
  acknowledged: number;
}

/**
 * Writes directly to a member that was the primary, past HAProxy. So it shows whether the member
 * itself refuses to be a second primary.
 */
export class StaleWriter {
  private constructor(private readonly url: string) {}

  /** Creates the table of these writes on the primary. */
  static async prepare(url: string): Promise<StaleWriter> {
    const writer = new StaleWriter(url);
    await writer.#run('create table if not exists stale_writes (id int)');
    return writer;
  }

  /** Returns whether the member itself takes writes, even if Patroni says something else. */
  async isPrimary(): Promise<boolean> {
    const [row] = await this.#run('select pg_is_in_recovery() as is_standby');
    return row?.is_standby === false;
  }

  /** Returns whether the member acknowledges a write within some seconds. */
  async write(): Promise<boolean> {
    return this.#run(INSERT).then(
      () => true,
      (error: Error) => {
        if (error.message !== 'Query read timeout') throw error;
        return false;
      },
    );
  }

  /**
   * Writes again and again until the member is a standby. Counts the writes that it took as a
   * primary, and those that it acknowledged.
   * @throws if Patroni calls the member the primary meanwhile
   */
  async writeUntilStandby(member: PatroniMember): Promise<StaleWrites> {
    const deadline = Date.now() + TIMEOUT_MS;
    const writes = { attempts: 0, acknowledged: 0 };
    while (Date.now() < deadline) {
      const [state, isStandby] = await Promise.all([member.callRest('/primary'), this.#write(writes)]);
      if (state?.status === 200) throw new Error(`${member.name} says that it is the primary`);
      if (isStandby) return writes;
      await sleep(20);
    }
    throw new Error(`${member.name} was no standby within ${TIMEOUT_MS} ms`);
  }

  async #write(writes: StaleWrites): Promise<boolean> {
    try {
      if (!(await this.isPrimary())) return true;
      writes.attempts += 1;
      await this.#run(INSERT);
      writes.acknowledged += 1;
      return false;
    } catch (error) {
      return getErrorCode(error) === READ_ONLY;
    }
  }

  async #run(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 2000,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      client.end().catch(() => undefined);
    }
  }
}
