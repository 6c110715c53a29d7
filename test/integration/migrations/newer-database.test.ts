import { expect } from 'chai';
import pg from 'pg';
import { migrate } from '../../../migrations/migrate.js';
import { NEEDED_SCHEMA } from '../../../migrations/needed-schema.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { openDatabase } from '../../../shared/platform/postgres/database.js';
import { findMissingMigration } from '../../../shared/server/missing-migration.js';
import { createDatabase } from '../../support/stores.js';

describe('a database that a newer version has migrated', () => {
  it('an older version starts on it, applies nothing and keeps the list of migrations', async () => {
    const databaseUrl = await createDatabase();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await client.query(
        `insert into schema_migrations (name, batch, migration_time) values ('29990101000000_add_later_field', 99, now())`,
      );
      const list = 'select name from schema_migrations order by id';
      const before = await client.query(list);
      expect(await migrate({ databaseUrl, appRole: 'tow_app', withQueue: true })).to.deep.equal([]);
      expect((await client.query(list)).rows).to.deep.equal(before.rows);
    } finally {
      await client.end();
    }
  });
});

describe('a database whose migrations ran, but whose functions belong to another version', () => {
  it('a process does not fit it until the release of its version has run', async () => {
    const databaseUrl = await createDatabase();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
    try {
      expect(await findMissingMigration(db, NEEDED_SCHEMA)).to.equal(undefined);
      const { rows } = await client.query(
        "select oid::regprocedure as name from pg_proc where proname ~ '^render_json_of_customers_' limit 1",
      );
      await client.query(`alter function ${rows[0].name} rename to render_json_of_customers_1`);
      expect(await findMissingMigration(db, NEEDED_SCHEMA)).to.include('run release');
      await migrate({ databaseUrl, appRole: 'tow_app', withQueue: true });
      expect(await findMissingMigration(db, NEEDED_SCHEMA)).to.equal(undefined);
    } finally {
      await Promise.all([client.end(), db.close()]);
    }
  });
});
