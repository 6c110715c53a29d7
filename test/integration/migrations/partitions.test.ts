import { expect } from 'chai';
import { findPartitionProblems, maintainPartitions } from '../../../migrations/partitions.js';
import { firstIdAt } from '../../../shared/platform/id-times.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { listEvents } from '../../../shared/resources/events/queries.js';
import { createDatabase } from '../../support/stores.js';
import { explainRun } from '../../support/writes/explain.js';
import { withPgClient } from '../../support/writes/rows.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const DAY_MS = 24 * 3600 * 1000;
const WEEK_MS = 7 * DAY_MS;
const TABLES = ['events', 'webhook_deliveries', 'webhook_attempts', 'truck_positions'];

/** Returns midnight UTC of the Monday that begins the week of `ms`. 1970-01-05 was a Monday. */
const startOfWeek = (ms: number) => Math.floor((ms - 4 * DAY_MS) / WEEK_MS) * WEEK_MS + 4 * DAY_MS;
const namePartition = (table: string, ms: number) =>
  `${table}_${new Date(startOfWeek(ms)).toISOString().slice(0, 10).replaceAll('-', '')}`;
const createIdAt = (ms: number) => firstIdAt(ms).slice(0, 14) + newId().slice(14);

const INSERTS: Record<string, string> = {
  events: "insert into events (tenant_id, id, type, body) values ($1, $2, 'x.made', '{}')",
  webhook_deliveries: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, next_attempt_at)
    values ($1, $2, $2, $2, 'x.made', null)`,
  webhook_attempts: `insert into webhook_attempts (tenant_id, id, delivery_id, endpoint_id, attempt, started_at, url, request_headers, total_ms)
    values ($1, $2, $2, $2, 1, now(), 'https://example.com', '{}', 1)`,
  truck_positions: `insert into truck_positions (tenant_id, id, truck_id, connection_id, lat, lng, at)
    values ($1, $2, $2, $2, 42, -73, now())`,
};

describe('weekly partitions', () => {
  const tenantId = newId();
  let databaseUrl: string;
  let db: Database;

  beforeEach(async () => {
    databaseUrl = await createDatabase();
    db = openDatabase({ databaseUrl, poolSize: 4, applicationName: 'test', logger });
  });
  afterEach(() => db.close());

  const insert = (table: string, id: string) =>
    db.transaction([tenantId], (tx) => tx.query({ text: INSERTS[table] as string, values: [tenantId, id] }));
  const findPartition = async (table: string, id: string) => {
    const text = `select tableoid::regclass::text as place from ${table} where tenant_id = $1 and id = $2`;
    const [row] = await db.read<{ place: string }>(tenantId, { text, values: [tenantId, id] });
    return row?.place;
  };
  const queryAsOwner = <R>(text: string) =>
    withPgClient(databaseUrl, async (client) => (await client.query(text)).rows as R[]);
  const listPartitions = async (table: string) => {
    const rows = await queryAsOwner<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where inhparent = 'public.${table}'::regclass`,
    );
    return rows.map(({ name }) => name).sort();
  };

  it('the migrations create partitions from last week to four weeks ahead, and each row is in the partition of its id', async () => {
    const weeks = [-1, 0, 1, 2, 3, 4].map((ahead) => Date.now() + ahead * WEEK_MS);
    for (const table of TABLES)
      for (const week of weeks) {
        const [first, last] = [firstIdAt(startOfWeek(week)), createIdAt(startOfWeek(week) + WEEK_MS - 1)];
        for (const id of [first, last]) {
          await insert(table, id);
          // All events from before the migration are in one partition. It ends on a Monday two or
          // three weeks after the migration.
          const isOldTable = table === 'events' && week < startOfWeek(Date.now()) + 3 * WEEK_MS;
          const name = isOldTable
            ? namePartition('events_until', Date.now() + 3 * WEEK_MS)
            : namePartition(table, week);
          expect(await findPartition(table, id)).to.equal(`partitions.${name}`);
        }
      }
    expect(await findPartitionProblems(databaseUrl)).to.deep.equal([]);
  });

  it("the application's role cannot read or write partitions directly, only their table with its policy", async () => {
    const id = newId();
    await insert('webhook_deliveries', id);
    const partition = await findPartition('webhook_deliveries', id);
    for (const text of [
      `select from ${partition}`,
      `insert into ${partition} select * from webhook_deliveries`,
      'select from partitions.events_default',
      'create table partitions.mine (id int)',
    ]) {
      const failure = await db.transaction([tenantId], (tx) => tx.query({ text })).then(() => 'done', String);
      expect(failure, text).to.include('permission denied for schema partitions');
    }
    const otherTenantRows = await db.read(newId(), { text: 'select from webhook_deliveries' });
    expect(otherTenantRows).to.deep.equal([]);
  });

  it('a partition is dropped when its whole week is 30 days past and no millisecond sooner, also the one of the old events', async () => {
    const last = Date.now() + 4 * WEEK_MS;
    for (const [tables, weeks] of [
      [['webhook_deliveries', 'webhook_attempts', 'truck_positions'], 1],
      [['events'], 3],
    ] as const) {
      const at = startOfWeek(Date.now()) + weeks * WEEK_MS + 30 * DAY_MS;
      const ids = tables.map((table) => ({ table, old: newId(), young: createIdAt(last) }));
      for (const { table, old, young } of ids) await Promise.all([insert(table, old), insert(table, young)]);
      const findPartitions = () => Promise.all(ids.map(({ table, old }) => findPartition(table, old)));
      const before = await findPartitions();
      await maintainPartitions(databaseUrl, { now: at });
      expect(await findPartitions()).to.deep.equal(before);
      const done = await maintainPartitions(databaseUrl, { now: at + 1 });
      expect(done?.dropped.map((name) => `partitions.${name}`)).to.include.members(before);
      expect(await findPartitions()).to.deep.equal(ids.map(() => undefined));
      for (const { table, young } of ids)
        expect(await findPartition(table, young)).to.equal(`partitions.${namePartition(table, last)}`);
    }
  });

  it('a partition with open deliveries is dropped after these deliveries are cancelled', async () => {
    const id = newId();
    await insert('webhook_deliveries', id);
    const run = <R>(text: string) => db.transaction([tenantId], (tx) => tx.query<R>({ text }));
    await run('update webhook_deliveries set next_attempt_at = now()');
    const now = Date.now() + 6 * WEEK_MS;
    const name = namePartition('webhook_deliveries', Date.now());
    await withPgClient(databaseUrl, async (reader) => {
      // The open transaction locks the partition, so `maintainPartitions` cannot drop it yet.
      await reader.query('begin; select from webhook_deliveries');
      const kept = await maintainPartitions(databaseUrl, { now });
      expect(kept?.faults).to.deep.include(`${name} is past its 30 days`);
      await reader.query('rollback');
    });
    const [row] = await run<{ completed_at: Date }>(
      'select status, last_error, next_attempt_at, completed_at from webhook_deliveries',
    );
    expect(row).to.include({ status: 'cancelled', last_error: 'event_expired', next_attempt_at: null });
    expect(row?.completed_at).to.be.instanceOf(Date);
    await run('update webhook_deliveries set next_attempt_at = now()');
    const { dropped } = (await maintainPartitions(databaseUrl, { now })) ?? {};
    expect(dropped).to.include(name);
    expect(await findPartition('webhook_deliveries', id)).to.equal(undefined);
  });

  it('several processes that create partitions concurrently create each of them once', async () => {
    const now = Date.now() + 12 * WEEK_MS;
    const runs = await Promise.all(Array.from({ length: 4 }, () => maintainPartitions(databaseUrl, { now })));
    const done = runs.filter((run) => run !== undefined);
    expect(done.flatMap(({ failures, faults }) => [...failures, ...faults])).to.deep.equal([]);
    const made = done.flatMap((run) => run.made);
    expect(made).to.have.length(TABLES.length * 6);
    expect(new Set(made).size).to.equal(made.length);
    for (const table of TABLES)
      expect(await listPartitions(table)).to.have.members([
        ...made.filter((name) => name.startsWith(table)),
        `${table}_default`,
      ]);
  });

  it('a query by id reads one partition, and a page of events reads few rows more than it returns', async () => {
    // At `now`, the partitions that the migrations created are old enough to be dropped.
    const now = startOfWeek(Date.now()) + 20 * WEEK_MS;
    await maintainPartitions(databaseUrl, { now });
    const weeks = [-1, 0, 1, 2, 3, 4].map((ahead) => now + ahead * WEEK_MS);
    const rows = 200;
    for (const week of weeks) {
      const ids = Array.from({ length: rows }, (_, n) => createIdAt(week + n * 1000));
      await db.transaction([tenantId], (tx) =>
        tx.query({
          text: "insert into events (tenant_id, id, type, body) select $1, unnest($2::uuid[]), 'x.made', '{}'",
          values: [tenantId, ids],
        }),
      );
    }
    await queryAsOwner('analyze events');
    const byId = await explainRun(db, tenantId, {
      text: 'select body from events where tenant_id = $1::uuid and id = $2::uuid',
      values: [tenantId, createIdAt(now)],
    });
    expect(byId.filter((node) => node['Node Type'].includes('Scan'))).to.have.length(1);
    const limit = 50;
    for (const [position, partitions] of [
      [undefined, 6],
      [{ at: '', id: createIdAt(now + WEEK_MS + 100_000) }, 3],
    ] as const) {
      const nodes = await explainRun(
        db,
        tenantId,
        listEvents({ limit }, { tenantId, timeZone: 'UTC', position }),
      );
      const types = nodes.map((node) => node['Node Type']);
      expect(types).to.not.include('Sort').and.not.include('Seq Scan');
      const scans = nodes.filter((node) => node['Node Type'].startsWith('Index'));
      const read = scans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
      // Besides the page, the query reads one row to detect a next page, and one row per partition
      // to merge the partitions.
      expect(read).to.be.within(limit + 1, limit + partitions);
      // PostgreSQL skips partitions that the cursor has passed, but never the default partition.
      expect(scans).to.have.length(partitions + 1);
    }
  });

  it('no write and no read fails while partitions are created and dropped', async () => {
    const id = newId();
    await insert('webhook_deliveries', id);
    let isOver = false;
    let rounds = 0;
    const failures: unknown[] = [];
    const work: (() => Promise<unknown>)[] = [
      ...TABLES.map((table) => () => insert(table, newId())),
      () =>
        db.transaction([tenantId], (tx) =>
          tx.query({
            name: 'touch',
            text: 'update webhook_deliveries set attempts = 1 where tenant_id = $1 and id = $2',
            values: [tenantId, id],
          }),
        ),
      () => db.read(tenantId, { name: 'newest', text: 'select id from events order by id desc limit 10' }),
    ];
    const traffic = work.map(async (step) => {
      while (!isOver) {
        await step().catch((error: unknown) => failures.push(error));
        rounds += 1;
      }
    });
    const done: string[] = [];
    for (const weeks of [-9, -8, 0, 1, 2, 3]) {
      const before = rounds;
      const kept = await maintainPartitions(databaseUrl, { now: Date.now() + weeks * WEEK_MS });
      done.push(...(kept?.made ?? []), ...(kept?.dropped ?? []));
      while (rounds < before + work.length) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    isOver = true;
    await Promise.all(traffic);
    expect(failures.map(String)).to.deep.equal([]);
    expect(done).to.include(namePartition('webhook_deliveries', Date.now() - 9 * WEEK_MS));
    expect(done).to.include(namePartition('events', Date.now() + 7 * WEEK_MS));
  });

  it('dropping a partition gives up after a short lock wait and succeeds later, and waiting writes do not fail', async () => {
    const now = startOfWeek(Date.now()) + 30 * DAY_MS + 1;
    const name = namePartition('webhook_deliveries', Date.now() - WEEK_MS);
    await withPgClient(databaseUrl, async (holder) => {
      await holder.query(`begin; select set_config('app.tenant_ids', '${tenantId}', true)`);
      await holder.query(INSERTS.webhook_deliveries as string, [tenantId, newId()]);
      const keeping = maintainPartitions(databaseUrl, { now });
      const writes = await Promise.allSettled([1, 2, 3].map(() => insert('webhook_deliveries', newId())));
      expect(writes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled']);
      const kept = await keeping;
      expect(kept?.failures).to.include(
        `${name} could not be dropped: canceling statement due to lock timeout`,
      );
      expect(kept?.faults).to.include(`${name} is past its 30 days`);
      await holder.query('rollback');
    });
    const later = await maintainPartitions(databaseUrl, { now });
    expect(later?.dropped).to.include(name);
    expect(later?.faults).to.deep.equal([]);
  });

  it('the default partition takes rows of a week without a partition, reports them and is never dropped', async () => {
    const at = Date.now() + 10 * WEEK_MS;
    const id = createIdAt(at);
    await insert('webhook_deliveries', id);
    expect(await findPartition('webhook_deliveries', id)).to.equal('partitions.webhook_deliveries_default');
    const defaultRows = 'webhook_deliveries_default holds rows (1), which are never dropped';
    expect(await findPartitionProblems(databaseUrl)).to.deep.equal([defaultRows]);
    // `maintainPartitions` cannot create the partition of the stray row's week, but creates the
    // other partitions.
    const near = await maintainPartitions(databaseUrl, { now: at - WEEK_MS });
    const name = namePartition('webhook_deliveries', at);
    expect(near?.faults).to.deep.equal([
      `${name} cannot be created: webhook_deliveries_default holds rows of that week`,
      defaultRows,
    ]);
    expect(near?.failures).to.deep.equal([]);
    expect(near?.made).to.include(namePartition('webhook_deliveries', at + WEEK_MS));
    await insert('webhook_deliveries', createIdAt(at));
    await maintainPartitions(databaseUrl, { now: at + 60 * DAY_MS });
    expect(await findPartition('webhook_deliveries', id)).to.equal('partitions.webhook_deliveries_default');
  });
});
