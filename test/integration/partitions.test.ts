import { expect } from 'chai';
import { findPartitionFaults, keepPartitions } from '../../migrations/partitions.js';
import { firstIdAt } from '../../shared/platform/id-times.js';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import { listEvents } from '../../shared/resources/events/queries.js';
import { runOf } from '../support/explain.js';
import { withClient } from '../support/rows.js';
import { createDatabase } from '../support/stores.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const DAY_MS = 24 * 3600 * 1000;
const WEEK_MS = 7 * DAY_MS;
const TABLES = ['events', 'webhook_deliveries', 'webhook_attempts'];

/** Monday, midnight UTC, of the week of a moment: 1970-01-05 was one. */
const mondayOf = (ms: number) => Math.floor((ms - 4 * DAY_MS) / WEEK_MS) * WEEK_MS + 4 * DAY_MS;
const nameOf = (table: string, ms: number) =>
  `${table}_${new Date(mondayOf(ms)).toISOString().slice(0, 10).replaceAll('-', '')}`;
/** An id of this moment. */
const idAt = (ms: number) => firstIdAt(ms).slice(0, 14) + newId().slice(14);

const INSERTS: Record<string, string> = {
  events: "insert into events (tenant_id, id, type, body) values ($1, $2, 'x.made', '{}')",
  webhook_deliveries: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, next_attempt_at)
    values ($1, $2, $2, $2, 'x.made', null)`,
  webhook_attempts: `insert into webhook_attempts (tenant_id, id, delivery_id, endpoint_id, attempt, started_at, url, request_headers, total_ms)
    values ($1, $2, $2, $2, 1, now(), 'https://example.com', '{}', 1)`,
};

describe('partitions', () => {
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
  const placeOf = async (table: string, id: string) => {
    const text = `select tableoid::regclass::text as place from ${table} where tenant_id = $1 and id = $2`;
    const [row] = await db.read<{ place: string }>(tenantId, { text, values: [tenantId, id] });
    return row?.place;
  };
  const asOwner = <R>(text: string) =>
    withClient(databaseUrl, async (client) => (await client.query(text)).rows as R[]);
  const partitionsOf = async (table: string) => {
    const rows = await asOwner<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where inhparent = 'public.${table}'::regclass`,
    );
    return rows.map(({ name }) => name).sort();
  };

  it('are there from the first migration on, for the last week to four weeks ahead, and each row lies in that of its id', async () => {
    const weeks = [-1, 0, 1, 2, 3, 4].map((ahead) => Date.now() + ahead * WEEK_MS);
    for (const table of TABLES)
      for (const week of weeks) {
        const [first, last] = [firstIdAt(mondayOf(week)), idAt(mondayOf(week) + WEEK_MS - 1)];
        for (const id of [first, last]) {
          await insert(table, id);
          // The events of before are one partition, up to a Monday two or three weeks from the migration.
          const isOldTable = table === 'events' && week < mondayOf(Date.now()) + 3 * WEEK_MS;
          const name = isOldTable ? nameOf('events_until', Date.now() + 3 * WEEK_MS) : nameOf(table, week);
          expect(await placeOf(table, id)).to.equal(`partitions.${name}`);
        }
      }
    expect(await findPartitionFaults(databaseUrl)).to.deep.equal([]);
  });

  it("are out of the application's reach but through their table, which has the policy", async () => {
    const id = newId();
    await insert('webhook_deliveries', id);
    const place = await placeOf('webhook_deliveries', id);
    for (const text of [
      `select from ${place}`,
      `insert into ${place} select * from webhook_deliveries`,
      'select from partitions.events_default',
      'create table partitions.mine (id int)',
    ]) {
      const failure = await db.transaction([tenantId], (tx) => tx.query({ text })).then(() => 'done', String);
      expect(failure, text).to.include('permission denied for schema partitions');
    }
    const elsewhere = await db.read(newId(), { text: 'select from webhook_deliveries' });
    expect(elsewhere).to.deep.equal([]);
  });

  it('are dropped once their whole week is 30 days past, no millisecond sooner; that of the old events too', async () => {
    const last = Date.now() + 4 * WEEK_MS;
    for (const [tables, weeks] of [
      [['webhook_deliveries', 'webhook_attempts'], 1],
      [['events'], 3],
    ] as const) {
      const at = mondayOf(Date.now()) + weeks * WEEK_MS + 30 * DAY_MS;
      const ids = tables.map((table) => ({ table, old: newId(), young: idAt(last) }));
      for (const { table, old, young } of ids) await Promise.all([insert(table, old), insert(table, young)]);
      const places = () => Promise.all(ids.map(({ table, old }) => placeOf(table, old)));
      const before = await places();
      await keepPartitions(databaseUrl, { now: at });
      expect(await places()).to.deep.equal(before);
      const done = await keepPartitions(databaseUrl, { now: at + 1 });
      expect(done?.dropped.map((name) => `partitions.${name}`)).to.include.members(before);
      expect(await places()).to.deep.equal(ids.map(() => undefined));
      for (const { table, young } of ids)
        expect(await placeOf(table, young)).to.equal(`partitions.${nameOf(table, last)}`);
    }
  });

  it('are dropped with deliveries that are still open, which are cancelled before', async () => {
    const id = newId();
    await insert('webhook_deliveries', id);
    const run = <R>(text: string) => db.transaction([tenantId], (tx) => tx.query<R>({ text }));
    await run('update webhook_deliveries set next_attempt_at = now()');
    const now = Date.now() + 6 * WEEK_MS;
    const name = nameOf('webhook_deliveries', Date.now());
    await withClient(databaseUrl, async (reader) => {
      // So that it cannot be dropped yet.
      await reader.query('begin; select from webhook_deliveries');
      const kept = await keepPartitions(databaseUrl, { now });
      expect(kept?.faults).to.deep.include(`${name} is past its 30 days`);
      await reader.query('rollback');
    });
    const [row] = await run<{ completed_at: Date }>(
      'select status, last_error, next_attempt_at, completed_at from webhook_deliveries',
    );
    expect(row).to.include({ status: 'cancelled', last_error: 'event_expired', next_attempt_at: null });
    expect(row?.completed_at).to.be.instanceOf(Date);
    await run('update webhook_deliveries set next_attempt_at = now()');
    const { dropped } = (await keepPartitions(databaseUrl, { now })) ?? {};
    expect(dropped).to.include(name);
    expect(await placeOf('webhook_deliveries', id)).to.equal(undefined);
  });

  it('are made once by several processes at the same moment', async () => {
    const now = Date.now() + 12 * WEEK_MS;
    const runs = await Promise.all(Array.from({ length: 4 }, () => keepPartitions(databaseUrl, { now })));
    const done = runs.filter((run) => run !== undefined);
    expect(done.flatMap(({ failures, faults }) => [...failures, ...faults])).to.deep.equal([]);
    const made = done.flatMap((run) => run.made);
    expect(made).to.have.length(3 * 6);
    expect(new Set(made).size).to.equal(made.length);
    for (const table of TABLES)
      expect(await partitionsOf(table)).to.have.members([
        ...made.filter((name) => name.startsWith(table)),
        `${table}_default`,
      ]);
  });

  it('are passed over by a look-up of an id, and a page reads of each no more than it tells', async () => {
    // Far enough that what the migration made is gone.
    const now = mondayOf(Date.now()) + 20 * WEEK_MS;
    await keepPartitions(databaseUrl, { now });
    const weeks = [-1, 0, 1, 2, 3, 4].map((ahead) => now + ahead * WEEK_MS);
    const rows = 200;
    for (const week of weeks) {
      const ids = Array.from({ length: rows }, (_, n) => idAt(week + n * 1000));
      await db.transaction([tenantId], (tx) =>
        tx.query({
          text: "insert into events (tenant_id, id, type, body) select $1, unnest($2::uuid[]), 'x.made', '{}'",
          values: [tenantId, ids],
        }),
      );
    }
    await asOwner('analyze events');
    const byId = await runOf(db, tenantId, {
      text: 'select body from events where tenant_id = $1::uuid and id = $2::uuid',
      values: [tenantId, idAt(now)],
    });
    expect(byId.filter((node) => node['Node Type'].includes('Scan'))).to.have.length(1);
    const limit = 50;
    for (const [position, partitions] of [
      [undefined, 6],
      [{ at: '', id: idAt(now + WEEK_MS + 100_000) }, 3],
    ] as const) {
      const nodes = await runOf(db, tenantId, listEvents({ limit }, { tenantId, timeZone: 'UTC', position }));
      const types = nodes.map((node) => node['Node Type']);
      expect(types).to.not.include('Sort').and.not.include('Seq Scan');
      const scans = nodes.filter((node) => node['Node Type'].startsWith('Index'));
      const read = scans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
      // One row of each to compare, beside the page and the row that tells of the next.
      expect(read).to.be.within(limit + 1, limit + partitions);
      // Those that the cursor is past are not opened; the default one always is.
      expect(scans).to.have.length(partitions + 1);
    }
  });

  it('come and go beside the traffic: no write and no read fails', async () => {
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
      const kept = await keepPartitions(databaseUrl, { now: Date.now() + weeks * WEEK_MS });
      done.push(...(kept?.made ?? []), ...(kept?.dropped ?? []));
      while (rounds < before + work.length) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    isOver = true;
    await Promise.all(traffic);
    expect(failures.map(String)).to.deep.equal([]);
    expect(done).to.include(nameOf('webhook_deliveries', Date.now() - 9 * WEEK_MS));
    expect(done).to.include(nameOf('events', Date.now() + 7 * WEEK_MS));
  });

  it('wait only a moment for who holds the table, and come another time: what queues behind does not fail', async () => {
    const now = mondayOf(Date.now()) + 30 * DAY_MS + 1;
    const name = nameOf('webhook_deliveries', Date.now() - WEEK_MS);
    await withClient(databaseUrl, async (holder) => {
      await holder.query(`begin; select set_config('app.tenant_ids', '${tenantId}', true)`);
      await holder.query(INSERTS.webhook_deliveries as string, [tenantId, newId()]);
      const keeping = keepPartitions(databaseUrl, { now });
      const writes = await Promise.allSettled([1, 2, 3].map(() => insert('webhook_deliveries', newId())));
      expect(writes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled']);
      const kept = await keeping;
      expect(kept?.failures).to.include(`${name} is not dropped: canceling statement due to lock timeout`);
      expect(kept?.faults).to.include(`${name} is past its 30 days`);
      await holder.query('rollback');
    });
    const later = await keepPartitions(databaseUrl, { now });
    expect(later?.dropped).to.include(name);
    expect(later?.faults).to.deep.equal([]);
  });

  it('let the default one catch what nobody made room for: the row is found, told, and never dropped', async () => {
    const at = Date.now() + 10 * WEEK_MS;
    const id = idAt(at);
    await insert('webhook_deliveries', id);
    expect(await placeOf('webhook_deliveries', id)).to.equal('partitions.webhook_deliveries_default');
    const strays = 'webhook_deliveries_default holds rows (1), which are never dropped';
    expect(await findPartitionFaults(databaseUrl)).to.deep.equal([strays]);
    // Its week comes near: it alone cannot be made.
    const near = await keepPartitions(databaseUrl, { now: at - WEEK_MS });
    const name = nameOf('webhook_deliveries', at);
    expect(near?.faults).to.deep.equal([
      `${name} cannot be made: webhook_deliveries_default holds rows of that week`,
      strays,
    ]);
    expect(near?.failures).to.deep.equal([]);
    expect(near?.made).to.include(nameOf('webhook_deliveries', at + WEEK_MS));
    await insert('webhook_deliveries', idAt(at));
    await keepPartitions(databaseUrl, { now: at + 60 * DAY_MS });
    expect(await placeOf('webhook_deliveries', id)).to.equal('partitions.webhook_deliveries_default');
  });
});
