import pg from 'pg';

/** Tables that are partitioned by their ids, which begin with the time (UUIDv7). */
const TABLES = ['events', 'webhook_deliveries', 'webhook_attempts'] as const;

type Table = (typeof TABLES)[number];

/** How long a row is kept after the end of its week. */
const KEPT_DAYS = 30;
/** Partitions are there so many weeks before their rows: the clock may stand still for as long. */
const WEEKS_AHEAD = 4;
/** And of the week before, for what is on its way at midnight. */
const WEEKS_BACK = 1;

const DAY_MS = 24 * 3600 * 1000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Rows in a default partition are counted so far. */
const MOST_COUNTED = 10_000;

/** Any number, as long as nothing else in the database uses it; migrations take the one before. */
const ADVISORY_LOCK = 20_261_122;

/**
 * A session of the application gives up a lock after 2 s. Whoever queues behind ours must not, so we wait a fraction of that and try again at the
 * next run; STATEMENT_MS bounds the whole step, should a default partition hold so much that looking through it takes time.
 */
const LOCK_MS = 500;
const STATEMENT_MS = 1500;

export interface KeptPartitions {
  made: string[];
  dropped: string[];
  /** Steps that failed, each with PostgreSQL's reason. */
  failures: string[];
  /** What is not as it should be now; see {@link findPartitionFaults}. */
  faults: string[];
}

/**
 * Keeps what is partitioned by weeks: a partition of every week from the last one to four weeks ahead, and none whose week ended more than 30 days ago. Safe
 * from several processes at once (the others do nothing) and beside the traffic:
 * - A partition is made by itself and then attached. `create table … partition of` would lock the whole table against every statement; `attach` lets
 *   writers go on and locks only the default partition, which has to be looked through: it is empty.
 * - Dropping locks the whole table, for the moment it takes to change the catalog. `detach concurrently` would not, but is not allowed beside a default
 *   partition, and without one a row of a week that nobody made room for would be refused.
 * A default partition is never touched: rows in it are told, and stay until a person moves them.
 * @param databaseUrl of the role that owns the tables
 * @throws only when PostgreSQL cannot be reached: a step that fails is tried again at the next run, and rows find their way meanwhile
 * @returns undefined when another process is at it
 */
export async function keepPartitions(
  databaseUrl: string,
  { now = Date.now() } = {},
): Promise<KeptPartitions | undefined> {
  return asOwner(databaseUrl, async (client) => {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [ADVISORY_LOCK]);
    if (!rows[0].taken) return undefined;
    const kept: KeptPartitions = { made: [], dropped: [], failures: [], faults: [] };
    for (const table of TABLES) {
      const { missing, expired } = await lookAt(client, table, now);
      for (const week of missing) {
        const name = nameOf(table, week);
        const failure = await tryStep(client, makeStatements(table, week));
        if (failure === undefined) kept.made.push(name);
        else kept.failures.push(`${name} is not made: ${failure}`);
      }
      for (const { name } of expired) {
        const failure = await dropPartition(client, table, name);
        if (failure === undefined) kept.dropped.push(name);
        else kept.failures.push(`${name} is not dropped: ${failure}`);
      }
    }
    kept.faults = await describeFaults(client, now);
    return kept;
  });
}

/**
 * Every way in which the partitions are not as {@link keepPartitions} leaves them: a week without its own, one past its time, rows in a default partition.
 * No row is lost by any of them, but a default partition is never dropped.
 */
export async function findPartitionFaults(databaseUrl: string, { now = Date.now() } = {}): Promise<string[]> {
  return asOwner(databaseUrl, (client) => describeFaults(client, now));
}

async function describeFaults(client: pg.Client, now: number): Promise<string[]> {
  const faults: string[] = [];
  for (const table of TABLES) {
    const { missing, expired, blocked, strays } = await lookAt(client, table, now);
    for (const week of missing) faults.push(`${nameOf(table, week)} is missing`);
    for (const week of blocked)
      faults.push(`${nameOf(table, week)} cannot be made: ${table}_default holds rows of that week`);
    for (const { name } of expired) faults.push(`${name} is past its ${KEPT_DAYS} days`);
    if (strays > 0) faults.push(`${table}_default holds rows (${strays}), which are never dropped`);
  }
  return faults;
}

interface Partition {
  name: string;
  /** In ms; `from` is inclusive, `to` is not. */
  from: number;
  to: number;
}

interface State {
  /** Weeks that have no partition. */
  missing: number[];
  /** The same, but the default partition holds rows of it already. */
  blocked: number[];
  /** Partitions whose time is over. */
  expired: Partition[];
  /** Rows in the default partition. */
  strays: number;
}

async function lookAt(client: pg.Client, table: Table, now: number): Promise<State> {
  const partitions = await partitionsOf(client, table);
  const state: State = { missing: [], blocked: [], expired: [], strays: 0 };
  const fallback = `partitions.${table}_default`;
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from (select from ${fallback} limit ${MOST_COUNTED}) t`,
  );
  state.strays = rows[0]?.count ?? 0;
  for (let ahead = -WEEKS_BACK; ahead <= WEEKS_AHEAD; ahead += 1) {
    const week = weekOf(now) + ahead * WEEK_MS;
    if (partitions.some(({ from, to }) => from <= week && week < to)) continue;
    const range = [firstIdAt(week), firstIdAt(week + WEEK_MS)];
    const isBlocked = state.strays > 0 && (await hasRows(client, fallback, 'id >= $1 and id < $2', range));
    (isBlocked ? state.blocked : state.missing).push(week);
  }
  state.expired = partitions.filter(({ to }) => to < now - KEPT_DAYS * DAY_MS);
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

/** All but the default one, by their bounds: `FOR VALUES FROM ('0192…') TO ('0193…')`. The first one of events begins at MINVALUE. */
async function partitionsOf(client: pg.Client, table: Table): Promise<Partition[]> {
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

/** `including all`: with the same indexes, which the table's then adopt. */
function makeStatements(table: Table, week: number): string {
  const partition = `partitions.${nameOf(table, week)}`;
  return `
    create table ${partition} (like ${table} including all);
    alter table ${table} attach partition ${partition}
      for values from ('${firstIdAt(week)}') to ('${firstIdAt(week + WEEK_MS)}')`;
}

const OPEN = 'next_attempt_at is not null';
/** Deliveries cancelled in one step, which must end in time. */
const CANCELLED_AT_ONCE = 5000;

/**
 * Deliveries that are still open are given up first: should they keep their partition, one account with a backlog would keep everybody's. On the partition itself,
 * which has no policy: of its table the owner, too, sees nothing without a tenant.
 * @returns the reason when it fails
 */
async function dropPartition(client: pg.Client, table: Table, name: string): Promise<string | undefined> {
  const partition = `partitions.${name}`;
  while (table === 'webhook_deliveries' && (await hasRows(client, partition, OPEN))) {
    const failure = await tryStep(
      client,
      `update ${partition} set status = 'cancelled', last_error = 'event_expired', next_attempt_at = null, completed_at = now()
       where ctid = any (array(select ctid from ${partition} where ${OPEN} limit ${CANCELLED_AT_ONCE}))`,
    );
    if (failure !== undefined) return failure;
  }
  return tryStep(client, `drop table ${partition}`);
}

/** Runs statements in one short transaction. Resolves with the reason when it fails. */
async function tryStep(client: pg.Client, statements: string): Promise<string | undefined> {
  try {
    await client.query(`
      begin;
      set local lock_timeout = ${LOCK_MS};
      set local statement_timeout = ${STATEMENT_MS};
      ${statements};
      commit`);
    return undefined;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('rollback');
    return error.message;
  }
}

async function asOwner<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 3000,
    statement_timeout: 30_000,
  });
  // A server that goes away fails the statement that runs; the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return work(client).finally(() => client.end());
}

function nameOf(table: Table, week: number): string {
  return `${table}_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** Monday, midnight UTC, of the week of this moment. */
function weekOf(ms: number): number {
  return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
}

/** No UUIDv7 of this time or later is lower. */
function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The time with which a UUIDv7 begins, in ms. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
}
