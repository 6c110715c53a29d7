import pg from 'pg';
import { runAsOwner } from './owner-connection.js';
import { DAY_MS, firstIdAt, timeOf, WEEK_MS, weekOf } from './partition-weeks.js';

/** The tables that are partitioned by id. Their ids begin with the time (UUIDv7). */
const TABLES = ['events', 'webhook_deliveries', 'webhook_attempts', 'truck_positions'] as const;

type Table = (typeof TABLES)[number];

/** A row is kept this long after the end of its week. */
const RETENTION_DAYS = 30;
/** Partitions are created this many weeks ahead. The clock may be down for the same time. */
const WEEKS_AHEAD = 4;
/** The partition of the previous week must exist too, for rows written around midnight. */
const WEEKS_BACK = 1;
/** So many weeks back, a week can have rows that are still kept. */
export const KEPT_WEEKS_BACK = 5;

/** Maximum number of rows that are counted in a default partition. */
const MAX_COUNTED_ROWS = 10_000;

/** An arbitrary number that no other advisory lock uses. Migrations use the number before it. */
const ADVISORY_LOCK = 20_261_122;

/**
 * A step here waits only this long for a lock. If the step fails, the next run repeats it. The
 * application's sessions give up after 2 s, so queries that wait behind the step do not fail.
 * STATEMENT_TIMEOUT_MS limits the whole step, because scanning a default partition with many rows
 * would take long.
 */
const LOCK_TIMEOUT_MS = 500;
const STATEMENT_TIMEOUT_MS = 1500;

export interface PartitionChanges {
  made: string[];
  dropped: string[];
  /** The steps that failed, each with PostgreSQL's reason. */
  failures: string[];
  /** The problems that remain; see {@link findPartitionProblems}. */
  faults: string[];
}

/**
 * Creates a partition for every week from the previous week to four weeks ahead. Drops the
 * partitions whose week ended more than 30 days ago. Several processes may call this at once: only
 * one works, and the others return. It is safe while the application runs:
 *
 * - A partition is created as a separate table and then attached. `create table … partition of`
 *   would lock the whole table against every query. `attach` does not block writers. It locks and
 *   scans only the default partition, which is normally empty.
 * - Dropping a partition locks the whole table for the moment of the catalog change. `detach
 *   concurrently` needs no such lock, but PostgreSQL forbids it on a table with a default
 *   partition. The default partition is needed, because otherwise PostgreSQL would refuse rows of a
 *   week without a partition.
 *
 * Rows in a default partition are only reported. They remain there until a person moves them.
 * @param databaseUrl connection string of the role that owns the tables
 * @param weeksBack the first week, counted back from this week
 * @throws only if PostgreSQL is unreachable. The next run repeats a failed step; until then the
 *   default partition receives the rows
 * @returns undefined when another process is already working
 */
export async function maintainPartitions(
  databaseUrl: string,
  { now = Date.now(), weeksBack = WEEKS_BACK } = {},
): Promise<PartitionChanges | undefined> {
  return runAsOwner(databaseUrl, async (client) => {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [ADVISORY_LOCK]);
    if (!rows[0].taken) return undefined;
    const kept: PartitionChanges = { made: [], dropped: [], failures: [], faults: [] };
    for (const table of TABLES) {
      const { missing, expired } = await readState(client, table, now, weeksBack);
      for (const week of missing) {
        const name = partitionName(table, week);
        const failure = await tryStep(client, buildCreateSql(table, week));
        if (failure === undefined) kept.made.push(name);
        else kept.failures.push(`${name} could not be created: ${failure}`);
      }
      for (const { name } of expired) {
        const failure = await dropPartition(client, table, name);
        if (failure === undefined) kept.dropped.push(name);
        else kept.failures.push(`${name} could not be dropped: ${failure}`);
      }
    }
    kept.faults = await describeFaults(client, now);
    return kept;
  });
}

/**
 * Lists the differences from the state that {@link maintainPartitions} maintains: a week without a
 * partition, an expired partition, rows in a default partition. These problems lose no rows, but
 * rows in a default partition are never deleted.
 */
export async function findPartitionProblems(
  databaseUrl: string,
  { now = Date.now() } = {},
): Promise<string[]> {
  return runAsOwner(databaseUrl, (client) => describeFaults(client, now));
}

async function describeFaults(client: pg.Client, now: number): Promise<string[]> {
  const faults: string[] = [];
  for (const table of TABLES) {
    const { missing, expired, blocked, defaultRows } = await readState(client, table, now);
    for (const week of missing) faults.push(`${partitionName(table, week)} is missing`);
    for (const week of blocked)
      faults.push(
        `${partitionName(table, week)} cannot be created: ${table}_default holds rows of that week`,
      );
    for (const { name } of expired) faults.push(`${name} is past its ${RETENTION_DAYS} days`);
    if (defaultRows > 0) faults.push(`${table}_default holds rows (${defaultRows}), which are never dropped`);
  }
  return faults;
}

interface Partition {
  name: string;
  /** The bounds in ms since 1970. `from` is inclusive, `to` is exclusive. */
  from: number;
  to: number;
}

interface State {
  /** The weeks that lack a partition. */
  missing: number[];
  /** Weeks whose partition cannot be created, because the default partition has rows of them. */
  blocked: number[];
  /** The partitions whose retention time has passed. */
  expired: Partition[];
  /** Number of rows in the default partition. */
  defaultRows: number;
}

async function readState(
  client: pg.Client,
  table: Table,
  now: number,
  weeksBack = WEEKS_BACK,
): Promise<State> {
  const partitions = await listPartitions(client, table);
  const state: State = { missing: [], blocked: [], expired: [], defaultRows: 0 };
  const fallback = `partitions.${table}_default`;
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from (select from ${fallback} limit ${MAX_COUNTED_ROWS}) t`,
  );
  state.defaultRows = rows[0]?.count ?? 0;
  for (let ahead = -weeksBack; ahead <= WEEKS_AHEAD; ahead += 1) {
    const week = weekOf(now) + ahead * WEEK_MS;
    if (partitions.some(({ from, to }) => from <= week && week < to)) continue;
    const range = [firstIdAt(week), firstIdAt(week + WEEK_MS)];
    const isBlocked =
      state.defaultRows > 0 && (await hasRows(client, fallback, 'id >= $1 and id < $2', range));
    (isBlocked ? state.blocked : state.missing).push(week);
  }
  state.expired = partitions.filter(({ to }) => to < now - RETENTION_DAYS * DAY_MS);
  return state;
}

async function hasRows(
  client: pg.Client,
  table: string,
  condition: string,
  values: string[] = [],
): Promise<boolean> {
  const text = `select exists (select from ${table} where ${condition}) as has`;
  return (await client.query<{ has: boolean }>(text, values)).rows[0]?.has === true;
}

/**
 * Lists all partitions with their bounds, except the default partition. PostgreSQL prints the
 * bounds as `FOR VALUES FROM ('0192…') TO ('0193…')`. The first partition of events begins at
 * MINVALUE.
 */
async function listPartitions(client: pg.Client, table: Table): Promise<Partition[]> {
  const { rows } = await client.query<{ name: string; bounds: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`,
    [`public.${table}`],
  );
  return rows.flatMap(({ name, bounds }) => {
    const [, from, to] = /^FOR VALUES FROM \((.+)\) TO \('(.+)'\)$/.exec(bounds) ?? [];
    if (from === undefined || to === undefined) return [];
    return [
      { name, from: from === 'MINVALUE' ? Number.NEGATIVE_INFINITY : timeOf(from.slice(1)), to: timeOf(to) },
    ];
  });
}

/**
 * Builds the SQL that creates a partition. `including all` creates the same indexes, which `attach`
 * then links to the table's indexes.
 */
function buildCreateSql(table: Table, week: number): string {
  const partition = `partitions.${partitionName(table, week)}`;
  return `
    create table ${partition} (like ${table} including all);
    alter table ${table} attach partition ${partition}
      for values from ('${firstIdAt(week)}') to ('${firstIdAt(week + WEEK_MS)}')`;
}

const IS_OPEN = 'next_attempt_at is not null';
/** Maximum number of deliveries that a step cancels. With more, it could exceed its timeout. */
const DELIVERIES_PER_CANCEL = 5000;

/**
 * Drops a partition after cancelling its open deliveries. Open deliveries must not keep a
 * partition: one account with a backlog would then keep the rows of all accounts. The update names
 * the partition, because the partition has no policy. In the parent table, even the owner sees only
 * the rows of a tenant that is set.
 * @returns the reason of a failure
 */
async function dropPartition(client: pg.Client, table: Table, name: string): Promise<string | undefined> {
  const partition = `partitions.${name}`;
  while (table === 'webhook_deliveries' && (await hasRows(client, partition, IS_OPEN))) {
    const failure = await tryStep(
      client,
      `update ${partition} set status = 'cancelled', last_error = 'event_expired', next_attempt_at = null, completed_at = now()
       where ctid = any (array(select ctid from ${partition} where ${IS_OPEN} limit ${DELIVERIES_PER_CANCEL}))`,
    );
    if (failure !== undefined) return failure;
  }
  return tryStep(client, `drop table ${partition}`);
}

/** Runs SQL text in one short transaction. Returns the reason if the SQL fails. */
async function tryStep(client: pg.Client, sql: string): Promise<string | undefined> {
  try {
    await client.query(`
      begin;
      set local lock_timeout = ${LOCK_TIMEOUT_MS};
      set local statement_timeout = ${STATEMENT_TIMEOUT_MS};
      ${sql};
      commit`);
    return undefined;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('rollback');
    return error.message;
  }
}

function partitionName(table: Table, week: number): string {
  return `${table}_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
