import { expect } from 'chai';
import type pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { migrate, migrateUpTo } from '../../../migrations/migrate.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { createDatabase, createEmptyDatabase } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const names = migrations.map(({ name }) => name);
const [STEP, INDEX] = ['20261130030100_index_coverage', 'customers_coverage_changed'];
const BUILD = `create index concurrently ${INDEX} on customers (tenant_id, coverage_changed_at) where coverage_changed_at is not null`;

/** The next migration of this database, like the next start or release. */
const migrateAgain = (databaseUrl: string) =>
  migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });

/** Runs a concurrent build of an index that gives up, because a transaction holds the table. */
async function interrupt(databaseUrl: string, build: string): Promise<void> {
  await withPgClient(databaseUrl, (holder: pg.Client) =>
    withPgClient(databaseUrl, async (builder: pg.Client) => {
      await holder.query('begin; lock table customers in row exclusive mode');
      await builder.query("set lock_timeout = '100ms'");
      const failure = await builder.query(build).catch((cause: unknown) => String(cause));
      expect(failure).to.contain('lock timeout');
    }),
  );
}

/** Lists the indexes of the table, and whether PostgreSQL uses them. */
async function listIndexes(databaseUrl: string): Promise<Record<string, boolean>> {
  return withPgClient(databaseUrl, async (client: pg.Client) => {
    const { rows } = await client.query<{ name: string; is_valid: boolean }>(
      `select indexrelid::regclass::text as name, indisvalid as is_valid from pg_index where indrelid = 'customers'::regclass`,
    );
    return Object.fromEntries(rows.map(({ name, is_valid }) => [name, is_valid]));
  });
}

describe('indexes that an interrupted migration left invalid', () => {
  it('a migration that was interrupted while it built an index builds it in the next run', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, names[names.indexOf(STEP) - 1] as string);
    await interrupt(databaseUrl, BUILD);
    expect((await listIndexes(databaseUrl))[INDEX]).to.equal(false);
    expect(await migrateAgain(databaseUrl)).to.include(STEP);
    expect(await listIndexes(databaseUrl)).to.deep.equal(await listIndexes(await createDatabase()));
  });

  it('an index that is invalid in a migrated database is rebuilt, also after an interrupted rebuild', async () => {
    const databaseUrl = await createDatabase();
    const before = await listIndexes(databaseUrl);
    await withPgClient(databaseUrl, (client) => client.query(`drop index ${INDEX}`));
    await interrupt(databaseUrl, BUILD);
    await interrupt(databaseUrl, `reindex index concurrently ${INDEX}`);
    expect(await listIndexes(databaseUrl)).to.deep.include({ [INDEX]: false, [`${INDEX}_ccnew`]: false });
    expect(await migrateAgain(databaseUrl)).to.deep.equal([]);
    expect(await listIndexes(databaseUrl)).to.deep.equal(before);
    expect(Object.values(before)).to.not.include(false);
  });
});
