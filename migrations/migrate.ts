import { runMigrations } from 'bullmq';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { migrations } from './index.js';
import { keepPartitions } from './partitions.js';

export interface MigrateOptions {
  /** Connects as the role that owns the database. */
  databaseUrl: string;
  /** The role every process lowers itself to; made here when missing. */
  appRole: string;
  /** Also make BullMQ's tables: the all-in-one way has its queue in PostgreSQL. */
  withQueue: boolean;
}

const LEDGER = 'schema_migrations';

/** Any number, as long as nothing else in the database uses it. */
const ADVISORY_LOCK = 20_261_121;

/**
 * Brings a database to the head: tables, BullMQ's schema, the application's role and what it may do, partitions of the coming weeks. Safe to run again and from
 * several processes at once: they wait for each other. Returns the names of the migrations that ran.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  return withClient(options.databaseUrl, async (client) => {
    // Ends with this session, however it ends. Knex's own lock is a row, and one left by a process that died would refuse every later start.
    await takeLock(client);
    await prepareAppRole(client, options.appRole);
    const applied = await withKnex(options.databaseUrl, async (db) => {
      await db.migrate.forceFreeMigrationsLock();
      const [, names] = (await db.migrate.latest()) as [number, string[]];
      return names;
    });
    if (options.withQueue) await runMigrations(client, 'bullmq');
    await grantAppRole(client, options);
    // What it could not do the clock tries again, and tells.
    await keepPartitions(options.databaseUrl);
    return applied;
  });
}

/** Undoes every migration; for tests of the way back. */
export async function rollbackAll(databaseUrl: string): Promise<void> {
  await withKnex(databaseUrl, (db) => db.migrate.rollback(undefined, true));
}

/** Runs only the first migrations, up to and including the one named; for tests on a database with data. */
export async function migrateUpTo(databaseUrl: string, name: string): Promise<void> {
  await withKnex(databaseUrl, async (db) => {
    for (const migration of migrations) {
      await db.migrate.up({ name: migration.name });
      if (migration.name === name) return;
    }
  });
}

/** How often a migrator asks whether it is its turn, in ms. */
const LOCK_POLL_MS = 100;

/** Asks again and again instead of waiting within one statement: that would hold a snapshot, which an index built concurrently waits for. */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.taken) return;
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}

const ignore = () => undefined;

async function withKnex<T>(databaseUrl: string, work: (db: Knex) => Promise<T>): Promise<T> {
  const db = knex({
    client: 'pg',
    connection: databaseUrl,
    // What it would print it also throws.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    pool: { min: 0, max: 2 },
    migrations: {
      tableName: LEDGER,
      migrationSource: {
        getMigrations: async () => [...migrations],
        getMigrationName: (migration: (typeof migrations)[number]) => migration.name,
        getMigration: async (migration: (typeof migrations)[number]) => withShortLocks(migration),
      },
    },
  });
  return work(db).finally(() => db.destroy());
}

/**
 * A migration that cannot get its locks at once must fail and be run again. A session of the
 * application gives up after 2 s, so what queues behind ours for 1 s does not fail.
 *
 * One without a transaction builds indexes concurrently. That waits for every older snapshot, an
 * export's for minutes, but lets reads and writes go on: it has no bound. What else such a
 * migration locks it bounds itself.
 */
function withShortLocks(migration: (typeof migrations)[number]): (typeof migrations)[number] {
  if (migration.config?.transaction === false) return migration;
  const bounded = (step: typeof migration.up) => async (knex: Knex) => {
    await knex.raw("set local lock_timeout = '1s'");
    await step(knex);
  };
  return { ...migration, up: bounded(migration.up), down: bounded(migration.down) };
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return work(client).finally(() => client.end());
}

/**
 * Tables that a migration makes can be used at once: processes at work write into them through its
 * triggers.
 */
async function prepareAppRole(client: pg.Client, appRole: string): Promise<void> {
  const role = client.escapeIdentifier(appRole);
  await client.query(`
    do $do$ begin
      create role ${role} nologin nosuperuser nobypassrls nocreatedb nocreaterole;
    exception when duplicate_object or unique_violation then null;
    end $do$;
    grant ${role} to current_user;
    alter default privileges in schema public grant select, insert, update, delete on tables to ${role};
  `);
}

async function grantAppRole(client: pg.Client, { appRole, withQueue }: MigrateOptions): Promise<void> {
  const role = client.escapeIdentifier(appRole);
  await client.query(`
    grant usage on schema public to ${role};
    grant select, insert, update, delete on all tables in schema public to ${role};
    revoke insert, update, delete on ${LEDGER}, ${LEDGER}_lock from ${role};
    revoke update, delete on audit_entries, events from ${role};
    grant usage on schema clock to ${role};
    grant select, insert, update on all tables in schema clock to ${role};
  `);
  if (!withQueue) return;
  await client.query(`
    grant usage on schema bullmq to ${role};
    grant select, insert, update, delete on all tables in schema bullmq to ${role};
    grant usage, select on all sequences in schema bullmq to ${role};
    grant execute on all functions in schema bullmq to ${role};
  `);
}
