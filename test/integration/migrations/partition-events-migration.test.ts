import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { down } from '../../../migrations/20261122050000_partition_events.js';
import { up as addFrozenAccounts } from '../../../migrations/20261201060000_add_frozen_accounts.js';
import { migrations } from '../../../migrations/index.js';
import { type MigrateOptions, migrate, migrateUpTo } from '../../../migrations/migrate.js';
import { maintainPartitions } from '../../../migrations/partitions.js';
import { readCurrentPosition, readEvents } from '../../../shared/events/read-events.js';
import { firstIdAt } from '../../../shared/platform/id-times.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { findPrivilegeProblems } from '../../../shared/platform/postgres/privileges.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { eventually } from '../../support/poll.js';
import { createEmptyDatabase } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const MIGRATION = '20261122050000_partition_events';
const PREVIOUS_MIGRATION = migrations[migrations.findIndex(({ name }) => name === MIGRATION) - 1]
  ?.name as string;
/** Each transaction reads its table. A process starts only on a database that has it. */
const NEEDED_MIGRATION = '20261201060000_add_frozen_accounts';
const WEEK_MS = 7 * 24 * 3600 * 1000;
const OLD_ROWS = 5000;

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const optionsFor = (databaseUrl: string): MigrateOptions => ({
  databaseUrl,
  appRole: getAppRole(databaseUrl),
  withQueue: false,
});

async function withKnex<T>(databaseUrl: string, work: (db: Knex) => Promise<T>): Promise<T> {
  const db = knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 2 } });
  return work(db).finally(() => db.destroy());
}

describe('the migration that partitions events by week', () => {
  const tenantId = newId();
  let databaseUrl: string;
  let db: Database;

  /**
   * Creates a database with events, as it was before this migration, but with the table that each
   * transaction of the product reads. The application's role has only the rights that the product
   * granted at that time, and those on that table.
   */
  beforeEach(async () => {
    databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, PREVIOUS_MIGRATION);
    await withKnex(databaseUrl, addFrozenAccounts);
    const role = getAppRole(databaseUrl);
    await withPgClient(databaseUrl, async (client) => {
      await client.query(
        'insert into schema_migrations (name, batch, migration_time) values ($1, 1, now())',
        [NEEDED_MIGRATION],
      );
      await client.query(`
        grant select on frozen_accounts to ${role};
        grant usage on schema public to ${role};
        grant select, insert on events to ${role};
        grant select on schema_migrations to ${role}`);
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
      await client.query(
        `insert into events (tenant_id, id, type, body)
         select $1, overlay(gen_random_uuid()::text placing substr($2::uuid::text, 1, 14) from 1)::uuid, 'x.old', '{}'
         from generate_series(1, ${OLD_ROWS})`,
        [tenantId, newId()],
      );
    });
    db = openDatabase({ databaseUrl, poolSize: 5, applicationName: 'test', logger });
  });
  afterEach(() => db.close());

  const insert = (id: string) =>
    db.transaction([tenantId], (tx) =>
      tx.query({
        name: 'insert-event',
        text: "insert into events (tenant_id, id, type, body) values ($1, $2, 'x.new', '{}')",
        values: [tenantId, id],
      }),
    );
  const listIds = async (type: string) => {
    const text = 'select id from events where tenant_id = $1 and type = $2 order by id';
    const rows = await db.read<{ id: string }>(tenantId, { text, values: [tenantId, type] });
    return rows.map(({ id }) => id);
  };

  it('while the migration partitions events, no query fails, and no event is lost or streamed twice', async () => {
    const written: string[] = [];
    const streamed: string[] = [];
    const failures: unknown[] = [];
    let isOver = false;
    const runRepeatedly = async (step: () => Promise<void>) => {
      while (!isOver) await step().catch((error: unknown) => failures.push(error));
    };
    let position = await readCurrentPosition(db, tenantId);
    const readMore = async () => {
      const page = await readEvents(db, tenantId, position);
      ({ position } = page);
      streamed.push(...page.events.map((event) => event.position.id));
    };
    const writeOne = async () => {
      const id = newId();
      await insert(id);
      written.push(id);
    };
    const traffic = [runRepeatedly(writeOne), runRepeatedly(writeOne), runRepeatedly(readMore)];
    try {
      // `migrate` also runs later migrations, so its result contains more than `MIGRATION`.
      expect(await migrate(optionsFor(databaseUrl))).to.include(MIGRATION);
      const atEnd = written.length;
      while (written.length < atEnd + 10) await new Promise((resolve) => setTimeout(resolve, 5));
    } finally {
      isOver = true;
      await Promise.all(traffic);
    }
    expect(failures.map(String)).to.deep.equal([]);
    await eventually('all events are streamed', async () => {
      await readMore();
      return streamed.length >= written.length;
    });
    expect(streamed.toSorted()).to.deep.equal(written.toSorted());
    expect(await listIds('x.new')).to.deep.equal(written.toSorted());
    expect(await listIds('x.old')).to.have.length(OLD_ROWS);
    expect(await findPrivilegeProblems(db)).to.deep.equal([]);
  });

  it('the migration can run again after the process died before it was recorded', async () => {
    await migrate(optionsFor(databaseUrl));
    const insertedIds = [newId()];
    await insert(insertedIds[0] as string);
    await withPgClient(databaseUrl, (client) =>
      client.query('delete from schema_migrations where name = $1', [MIGRATION]),
    );
    expect(await migrate(optionsFor(databaseUrl))).to.include(MIGRATION);
    expect(await listIds('x.new')).to.deep.equal(insertedIds);
  });

  it('undoing the migration leaves one table with the rows of all weeks in their sequence', async () => {
    await migrate(optionsFor(databaseUrl));
    await maintainPartitions(databaseUrl);
    const ids = [0, 3, 4, 9].map((weeks) => firstIdAt(Date.now() + weeks * WEEK_MS));
    for (const id of ids) await insert(id);
    const text = 'select id, xid::text from events order by xid, id';
    const before = await db.read(tenantId, { text });
    await withKnex(databaseUrl, down);
    expect(await db.read(tenantId, { text })).to.deep.equal(before);
    expect(before).to.have.length(OLD_ROWS + ids.length);
    expect(await db.read(newId(), { text })).to.deep.equal([]);
    const kind = await db.query({ text: "select relkind from pg_class where oid = 'events'::regclass" });
    expect(kind).to.deep.equal([{ relkind: 'r' }]);
  });
});
