import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { MIGRATION_HEAD, migrations } from '../../../migrations/index.js';
import { type MigrateOptions, migrate, migrateUpTo, rollbackAll } from '../../../migrations/migrate.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { findPrivilegeProblems } from '../../../shared/platform/postgres/privileges.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { createDatabase, createEmptyDatabase } from '../../support/stores.js';
import { fillTables, listTables, withPgClient } from '../../support/writes/rows.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const names = migrations.map(({ name }) => name);

function optionsFor(databaseUrl: string): MigrateOptions {
  return { databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true };
}

/**
 * Runs `work` with connections in the application's role, like those of the product's processes.
 */
async function asApplication<T>(databaseUrl: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
  return work(db).finally(() => db.close());
}

/** Reads the schema from the catalog: columns, constraints, indexes, policies and rights. */
async function readSchema(databaseUrl: string): Promise<unknown[]> {
  const parts = [
    `select table_schema, table_name, column_name, data_type, is_nullable, column_default, is_generated from information_schema.columns
     where table_schema in ('public', 'bullmq')`,
    `select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
     where connamespace in ('public'::regnamespace, 'bullmq'::regnamespace)`,
    `select tablename, indexname, indexdef from pg_indexes where schemaname in ('public', 'bullmq')`,
    `select tablename, policyname, cmd, qual, with_check from pg_policies`,
    `select relname, relrowsecurity, relforcerowsecurity, relacl::text from pg_class where relnamespace = 'public'::regnamespace`,
  ];
  return withPgClient(databaseUrl, async (client) => {
    const rows: unknown[] = [];
    for (const text of parts)
      rows.push(...(await client.query({ text: `${text} order by 1, 2, 3`, rowMode: 'array' })).rows);
    return rows;
  });
}

async function listAppliedMigrations(databaseUrl: string): Promise<string[]> {
  return withPgClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by id');
    return rows.map((row) => row.name);
  });
}

/** Counts the rows of each table that the account sees, with one query for all tables. */
async function countVisibleRows(
  db: Database,
  tables: string[],
  tenantId: string,
): Promise<Record<string, number>> {
  const counts = tables.map((table) => `(select count(*)::int from ${table}) as "${table}"`);
  const [row] = await db.read<Record<string, number>>(tenantId, { text: `select ${counts.join(', ')}` });
  return row ?? {};
}

/** Resolves once the build of a concurrent index has waited `waitedMs` for a lock. */
async function waitForIndex(databaseUrl: string, waitedMs: number): Promise<void> {
  return withPgClient(databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query(
        `select pid from pg_stat_activity where datname = current_database() and query like 'create index concurrently%'
           and wait_event_type = 'Lock' and now() - query_start > make_interval(secs => $1)`,
        [waitedMs / 1000],
      );
      if (rows.length > 0) return;
      await setTimeout(50);
    }
  });
}

describe('migrations', () => {
  it('the role that runs migrations is no superuser and does not bypass row-level security', async () => {
    const rights = await withPgClient(await createEmptyDatabase(), async (client) => {
      const { rows } = await client.query(
        'select rolsuper, rolbypassrls from pg_roles where rolname = current_user',
      );
      return rows;
    });
    expect(rights).to.deep.equal([{ rolsuper: false, rolbypassrls: false }]);
  });

  it('migrations bring an empty database to the head, without privilege problems', async () => {
    const databaseUrl = await createEmptyDatabase();
    expect(await migrate(optionsFor(databaseUrl))).to.deep.equal(names);
    expect(await listAppliedMigrations(databaseUrl)).to.deep.equal(names);
    expect(names.at(-1)).to.equal(MIGRATION_HEAD);
    expect(await asApplication(databaseUrl, findPrivilegeProblems)).to.deep.equal([]);
  });

  describe('of a database with rows', () => {
    let databaseUrl: string;
    /** Connections in the application's role, for all tests. */
    let db: Database;
    /**
     * Maps each migration to the tables that were filled right after it, and to the ids of the two
     * tenants that own the inserted rows.
     */
    const filled = new Map<string, { tables: string[]; tenantIds: string[] }>();

    // All tests share a database. With a database per migration, the run time would grow with the
    // square of the number of migrations.
    before(async function () {
      this.timeout(180_000);
      databaseUrl = await createEmptyDatabase();
      for (const name of names) {
        await migrateUpTo(databaseUrl, name);
        await withPgClient(databaseUrl, async (client) => {
          const tables = await listTables(client);
          const tenantIds = [newId(), newId()];
          for (const tenantId of tenantIds) await fillTables(client, tables, tenantId);
          filled.set(name, { tables, tenantIds });
        });
      }
      expect(await migrate(optionsFor(databaseUrl))).to.deep.equal([]);
      db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
    });
    after(() => db.close());

    for (const name of names)
      it(`migrations bring a database at ${name} with rows of two tenants to the head and lose no row`, async () => {
        const { tables = [], tenantIds = [] } = filled.get(name) ?? {};
        expect(tables).to.not.deep.equal([]);
        expect(await findPrivilegeProblems(db)).to.deep.equal([]);
        const each = Object.fromEntries(tables.map((table) => [table, 1]));
        for (const tenantId of tenantIds)
          expect(await countVisibleRows(db, tables, tenantId)).to.deep.equal(each);
      });

    it('migrations that run one by one produce the same schema as one run', async () => {
      expect(await readSchema(databaseUrl)).to.deep.equal(await readSchema(await createDatabase()));
    });
  });

  it('migrations store the sandbox id in every existing live account', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, names.filter((name) => name < '20261121060000').at(-1) as string);
    const [live, twin] = [newId(), newId()];
    await withPgClient(databaseUrl, async (client) => {
      await client.query("select set_config('app.tenant_ids', $1, false)", [[live, twin].join()]);
      await client.query(
        `insert into tenants (tenant_id, name, environment, live_tenant_id) values ($1, 'L', 'live', null), ($2, 'L', 'sandbox', $1)`,
        [live, twin],
      );
    });
    await migrate(optionsFor(databaseUrl));
    const found = await asApplication(databaseUrl, (db) =>
      Promise.all(
        [live, twin].map((id) => db.read(id, { text: 'select sandbox_tenant_id as twin from tenants' })),
      ),
    );
    expect(found).to.deep.equal([[{ twin }], [{ twin: null }]]);
  });

  it('migrations that run again change nothing', async () => {
    const databaseUrl = await createDatabase();
    const before = await readSchema(databaseUrl);
    expect(await migrate(optionsFor(databaseUrl))).to.deep.equal([]);
    expect(await readSchema(databaseUrl)).to.deep.equal(before);
    expect(await listAppliedMigrations(databaseUrl)).to.deep.equal(names);
  });

  it('a release keeps the functions of five earlier releases that render records, and removes older ones', async () => {
    const databaseUrl = await createDatabase();
    const query = (text: string) => withPgClient(databaseUrl, (client) => client.query(text));
    const listFunctions = async () => {
      const { rows } = await query(
        "select proname from pg_proc where proname ~ '^render_json_of_invoices' order by oid",
      );
      return rows.map(({ proname }) => proname);
    };
    const [current] = await listFunctions();
    const earlier = [1, 2, 3, 4, 5, 6, 7].map((n) => `render_json_of_invoices_${n}`);
    for (const name of earlier)
      await query(`create function ${name}(uuid, uuid) returns text language sql return 'text'`);
    await migrate(optionsFor(databaseUrl));
    expect(await listFunctions()).to.deep.equal([current, ...earlier.slice(2)]);
  });

  it('migrations of several concurrent processes all succeed, and each migration runs once', async () => {
    const databaseUrl = await createEmptyDatabase();
    const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(optionsFor(databaseUrl))));
    expect(runs.flat()).to.have.members(names);
    expect(await listAppliedMigrations(databaseUrl)).to.deep.equal(names);
    expect(await asApplication(databaseUrl, findPrivilegeProblems)).to.deep.equal([]);
  });

  it('migrations run although a process that died left its migration lock behind', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, names[0] as string);
    await withPgClient(databaseUrl, (client) =>
      client.query('update schema_migrations_lock set is_locked = 1'),
    );
    expect(await migrate(optionsFor(databaseUrl))).to.deep.equal(names.slice(1));
  });

  it('a migration with a concurrent index waits for a long export that has an older snapshot', async () => {
    const databaseUrl = await createEmptyDatabase();
    const before = names[names.indexOf('20261123030000_index_live_keys') - 1] as string;
    await migrateUpTo(databaseUrl, before);
    await withPgClient(databaseUrl, async (exporter) => {
      await exporter.query('begin isolation level repeatable read read only');
      await exporter.query('select count(*) from tenants');
      const migrating = migrate(optionsFor(databaseUrl));
      // Wait longer than 1 s, after which other migrations would give up on the lock.
      await Promise.race([migrating, waitForIndex(databaseUrl, 1500)]);
      await exporter.query('commit');
      expect(await migrating).to.include('20261123030000_index_live_keys');
    });
  });

  it('a migration that cannot get a lock fails, and the next run continues from it', async () => {
    const databaseUrl = await createEmptyDatabase();
    const step = '20261123060000_bound_agents';
    await migrateUpTo(databaseUrl, names[names.indexOf(step) - 1] as string);
    await withPgClient(databaseUrl, async (reader) => {
      await reader.query('begin; lock table tenants in access share mode');
      const failure = await migrate(optionsFor(databaseUrl)).catch((cause: unknown) => String(cause));
      expect(failure).to.contain('lock timeout');
    });
    expect(await migrate(optionsFor(databaseUrl))).to.include(step);
  });

  it('a migration that fails halfway leaves nothing, and the next run continues when the cause is gone', async () => {
    const databaseUrl = await createEmptyDatabase();
    const runAsOwner = (text: string) => withPgClient(databaseUrl, (client: pg.Client) => client.query(text));
    // The last table of the second migration already exists, so the migration fails after it has
    // created its first tables.
    await runAsOwner('create table invoice_line_items (stranger int)');
    let failure: unknown;
    await migrate(optionsFor(databaseUrl)).catch((error: unknown) => {
      failure = error;
    });
    expect(String(failure)).to.include('invoice_line_items');
    expect(await withPgClient(databaseUrl, listTables)).to.not.include('customers');
    await runAsOwner('drop table invoice_line_items');
    await migrate(optionsFor(databaseUrl));
    expect(await listAppliedMigrations(databaseUrl)).to.deep.equal(names);
  });

  it('migrations can be rolled back to an empty schema and run again to the same schema', async () => {
    const databaseUrl = await createDatabase();
    const before = await readSchema(databaseUrl);
    await rollbackAll(databaseUrl);
    expect(await withPgClient(databaseUrl, listTables)).to.deep.equal([]);
    expect(await listAppliedMigrations(databaseUrl)).to.deep.equal([]);
    expect(await migrate(optionsFor(databaseUrl))).to.deep.equal(names);
    expect(await readSchema(databaseUrl)).to.deep.equal(before);
  });
});
