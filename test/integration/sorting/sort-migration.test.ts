import { expect } from 'chai';
import type pg from 'pg';
import { migrateUpTo } from '../../../migrations/migrate.js';
import { newId } from '../../../shared/platform/ids.js';
import { eventually } from '../../support/poll.js';
import { createEmptyDatabase } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const PREVIOUS_MIGRATION = '20261202060000_index_operations_and_issues';
const SORT_MIGRATION = '20261203070000_sort_lists';
/** More customers than two batches of the migration fill. */
const CUSTOMERS = 2100;
const FIRST_ID = '00000000-0000-4000-8000-000000000001';
const LAST_ID = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
const LOCK = 7_070;

const INSERT_TENANT = "insert into tenants (tenant_id, name, environment) values ($1, 'T', 'live')";
const INSERT_CUSTOMER =
  "insert into customers (tenant_id, id, company_name, company_type) values ($1, $2, $3, 'other')";
const INSERT_CUSTOMERS = `
  insert into customers (tenant_id, id, company_name, company_type)
  select $1, gen_random_uuid(), 'Club ' || n, 'other' from generate_series(1, ${CUSTOMERS}) n`;
/** Makes the first batch of the migration wait until the test releases the lock. */
const SLOW_DOWN = `
  create function wait_for_test() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(${LOCK});
    return new;
  end $$;
  create trigger a_wait_for_test before update on customers for each row
    when (new.id = '${FIRST_ID}') execute function wait_for_test();`;

describe('the migration that sorts lists', () => {
  it('the migration fills the names of all customers while an old process writes, and can run again after it died', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, PREVIOUS_MIGRATION);
    const [tenantId, otherId] = [newId(), newId()];
    const asTenant = <T>(id: string, run: (client: pg.Client) => Promise<T>) =>
      withPgClient(databaseUrl, async (client) => {
        await client.query("select set_config('app.tenant_ids', $1, false)", [id]);
        return run(client);
      });
    for (const id of [tenantId, otherId])
      await asTenant(id, async (client) => {
        await client.query(INSERT_TENANT, [id]);
        await client.query(INSERT_CUSTOMERS, [id]);
      });
    const countWrong = (id: string) =>
      asTenant(id, async (client) => {
        const { rows } = await client.query<{ wrong: number }>(
          'select count(*)::int as wrong from customers where sort_name is distinct from lower(company_name)',
        );
        return rows[0]?.wrong;
      });

    await asTenant(tenantId, async (writer) => {
      await writer.query(INSERT_CUSTOMER, [tenantId, FIRST_ID, 'First Club']);
      await writer.query(INSERT_CUSTOMER, [tenantId, LAST_ID, 'Last Club']);
      await writer.query(SLOW_DOWN);
      await writer.query('select pg_advisory_lock($1)', [LOCK]);
      let hasEnded = false;
      const migrating = migrateUpTo(databaseUrl, SORT_MIGRATION).finally(() => {
        hasEnded = true;
      });
      await eventually('the migration fills its first batch', async () => {
        const { rows } = await writer.query(
          "select from pg_locks where locktype = 'advisory' and objid = $1 and not granted",
          [LOCK],
        );
        return rows.length > 0;
      });
      // An old process does not know the column, and holds a customer of a later batch.
      await writer.query('begin');
      await writer.query("update customers set company_name = 'HELD Club' where id = $1", [LAST_ID]);
      await writer.query(INSERT_CUSTOMER, [tenantId, newId(), 'NEW Club']);
      await writer.query('select pg_advisory_unlock($1)', [LOCK]);
      await eventually('all customers but the held one have a name', async () => {
        return (await countWrong(tenantId)) === 1;
      });
      expect(hasEnded, 'the migration waits for the held customer').to.equal(false);
      await writer.query('commit');
      await migrating;
    });
    for (const id of [tenantId, otherId]) expect(await countWrong(id)).to.equal(0);
    await withPgClient(databaseUrl, (client) =>
      client.query('delete from schema_migrations where name = $1', [SORT_MIGRATION]),
    );
    await migrateUpTo(databaseUrl, SORT_MIGRATION);
    expect(await countWrong(tenantId)).to.equal(0);
    await asTenant(tenantId, (client) =>
      client.query("update customers set company_name = 'Renamed CLUB' where id = $1", [FIRST_ID]),
    );
    expect(await countWrong(tenantId)).to.equal(0);
  });
});
