import type pg from 'pg';
import { QueryGroup } from './query-group.js';
import { type SqlQuery, traceQuery } from './send.js';

/** A place in the log of one primary. */
export interface LogPosition {
  /** The timeline of the primary that wrote the log. Each promotion of a standby raises it. */
  timeline: number;
  /** Log sequence number in PostgreSQL's format, for example `16/B374D848`. */
  lsn: string;
}

/** SQLSTATE of a read whose replica has not replayed the position: a text that is no number. */
export const NOT_REPLAYED = '22P02';

/** Builds the query that applies `setting` to a transaction and makes the transaction read-only. */
export function createReadSetting(name: string, setting: string, values: string[]): SqlQuery {
  return { name, text: `select ${setting}, set_config('transaction_read_only', 'on', true)`, values };
}

/**
 * Builds the setting of a read that sees only this tenant's rows.
 * @param options.replayed the read fails with {@link NOT_REPLAYED} unless its server is a replica
 *   that has replayed the log up to here
 */
export function createTenantSetting(
  tenantId: string,
  { timeoutMs, replayed }: { timeoutMs?: number | undefined; replayed?: LogPosition | undefined },
): SqlQuery {
  const values = [tenantId];
  let name = 'read-tenant';
  let setting = "set_config('app.tenant_ids', $1, true)";
  if (timeoutMs !== undefined) {
    values.push(`${timeoutMs}`);
    name += '-in-time';
    setting += `, set_config('statement_timeout', $${values.length}, true)`;
  }
  if (replayed) {
    values.push(`${replayed.timeline}`, replayed.lsn);
    name += '-replayed';
    setting += `, ${assertReplayed(`$${values.length - 1}`, `$${values.length}`)}`;
  }
  return createReadSetting(name, setting, values);
}

/**
 * PostgreSQL compares log sequence numbers, but two timelines use the same numbers for different
 * logs. The control file names the timeline of the last restart point. After a promotion it may lag
 * by a checkpoint, and then refuses a replica that has the position.
 */
function assertReplayed(timeline: string, lsn: string): string {
  const isReplayed = `timeline_id = ${timeline}::int and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn`;
  // The replica's log shows the text, as that of an error.
  const refusal = `'this replica has not replayed ' || ${lsn}::text || ', so the primary is read'`;
  return `(select (case when ${isReplayed} then '1' else ${refusal} end)::int from pg_control_checkpoint())`;
}

/**
 * Applies the setting and runs the query in one transaction. No other query on this connection runs
 * between the setting and the query. Both form one {@link QueryGroup}, so a read needs no begin and
 * no commit. The read takes one round trip instead of four.
 * @param setting must apply to its transaction only
 */
export function readWithSetting(
  client: pg.ClientBase,
  setting: SqlQuery,
  query: SqlQuery,
): Promise<pg.QueryResult> {
  return traceQuery(query, () => {
    const group = new QueryGroup();
    // If the setting fails, the query fails with the same error.
    group.add(setting, { ignoresRows: true }).catch(() => undefined);
    const result = group.add(query);
    group.sendOver(client);
    return result;
  });
}
