import { expect } from 'chai';
import pg from 'pg';
import { migrate } from '../../../migrations/migrate.js';
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
