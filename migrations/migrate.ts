import { runMigrations } from 'bullmq';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import {
  buildRenderFunctions,
  buildTriggerFunctions,
  DROP_RENDER_FUNCTIONS,
} from '../shared/records/stored-json/triggers.js';
import { STORED_JSON_TABLES } from '../shared/registry/tables.js';
import { migrations } from './index.js';
import { rebuildInvalidIndexes } from './invalid-indexes.js';
import { maintainPartitions } from './partitions.js';

export interface MigrateOptions {
  /** Connection string of the role that owns the database. */
  databaseUrl: string;
  /** The role to which every process switches. If the role is missing, it is created. */
  appRole: string;
  /** True to also create BullMQ's tables. The all-in-one process has its queue in PostgreSQL. */
  withQueue: boolean;
}

const LEDGER = 'schema_migrations';

/** An arbitrary number that no other advisory lock in the database uses. */
const ADVISORY_LOCK = 20_261_121;

/**
 * Migrates a database to the newest version: tables, indexes, the functions that store JSON texts,
 * BullMQ's schema, the application's role and its privileges, and the partitions of the coming
 * weeks. May run again, and may run in several processes at once, which then wait for each other.
 * @returns the names of the migrations that ran
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  return withClient(options.databaseUrl, async (client) => {
    // Use an advisory lock, because PostgreSQL releases it when the session ends. Knex's own lock
    // is a row: if a process died, its row would block every later start.
    await takeLock(client);
    await prepareAppRole(client, options.appRole);
    await client.query(buildRenderFunctions(STORED_JSON_TABLES));
    const applied = await withKnex(options.databaseUrl, async (db) => {
      await db.migrate.forceFreeMigrationsLock();
      const [, names] = (await db.migrate.latest()) as [number, string[]];
      return names;
    });
    await client.query(buildTriggerFunctions(STORED_JSON_TABLES));
    if (options.withQueue) await runMigrations(client, 'bullmq');
    await grantAppRole(client, options);
    await rebuildInvalidIndexes(client);
    // If a step fails here, the clock repeats it later and reports the failure.
    await maintainPartitions(options.databaseUrl);
    return applied;
  });
}

/** Undoes every migration. Tests of the `down` steps use this. */
export async function rollbackAll(databaseUrl: string): Promise<void> {
  await withKnex(databaseUrl, (db) => db.migrate.rollback(undefined, true));
  await withClient(databaseUrl, (client) => client.query(DROP_RENDER_FUNCTIONS));
}

/**
 * Runs the migrations up to and including the named one. Tests on a database with data use this.
 */
export async function migrateUpTo(databaseUrl: string, name: string): Promise<void> {
  await withKnex(databaseUrl, async (db) => {
    const [applied] = (await db.migrate.list()) as [{ name: string }[], unknown];
    const names = new Set(applied.map((row) => row.name));
    for (const migration of migrations) {
      if (!names.has(migration.name)) await db.migrate.up({ name: migration.name });
      if (migration.name === name) return;
    }
  });
}

/** Interval between two attempts to take the lock, in ms. */
const LOCK_POLL_MS = 100;

/**
 * Polls for the lock. A query that waits for the lock would hold a snapshot, and `create index
 * concurrently` of another process would wait for that snapshot.
 */
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
    // Print nothing, because Knex also throws these errors.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    pool: { min: 0, max: 2 },
    migrations: {
      tableName: LEDGER,
      // Allow that the database has newer migrations than this version. An older version works with
      // them, because migrations only extend what the previous version uses.
      disableMigrationsListValidation: true,
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
 * Limits the time that a migration waits for a lock to 1 s. If the migration fails, an operator
 * must run it again. The application's sessions give up after 2 s, so queries that wait behind the
 * migration do not fail.
 *
 * A migration without a transaction gets no limit here, because it builds indexes concurrently.
 * Building an index waits for every older snapshot, which takes minutes if an export holds one.
 * This wait does not block reads and writes. Such a migration itself limits its other locks.
 */
function withShortLocks(migration: (typeof migrations)[number]): (typeof migrations)[number] {
  if (migration.config?.transaction === false) return migration;
  const limitLocks = (step: typeof migration.up) => async (knex: Knex) => {
    await knex.raw("set local lock_timeout = '1s'");
    await step(knex);
  };
  return { ...migration, up: limitLocks(migration.up), down: limitLocks(migration.down) };
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return work(client).finally(() => client.end());
}

/**
 * Creates the application's role and its default privileges on new tables. A migration may add
 * triggers through which running processes write into its new tables. So these processes need the
 * privileges immediately.
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
