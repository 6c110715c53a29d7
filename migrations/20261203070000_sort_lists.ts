import type { Knex } from 'knex';

/**
 * Runs without one transaction around all steps. Each step then holds its locks only briefly, so
 * that the application can run meanwhile.
 */
export const config = { transaction: false };

const INDEXES = {
  // Sorts customers by name.
  customers_name: 'customers (tenant_id, sort_name, id)',
  // Sorts the invoices of each status by due date. A list of several statuses merges them, so that
  // no page reads past the paid invoices to find the open ones. The condition holds for all
  // invoices. PostgreSQL uses the index only for queries that contain it, as the lists do. Without
  // it, the overdue sweep used this index and read each invoice that is with a motor club.
  invoices_status_due:
    "invoices (tenant_id, status, due_date, id) where due_date is null or due_date >= '-infinity'",
};

/** The SQL of the key, from the name of the row. Cursors contain it, so it must stay short. */
const sortName = (row: string) => `left(lower(${row}.company_name), 50)`;

const ROWS_PER_BATCH = 1000;

/**
 * Adds what the lists of customers and invoices need to be sorted by name and by due date.
 *
 * An index over `lower(company_name)` would not help: under row-level security, PostgreSQL compares
 * in an index only by functions that are leakproof, and `lower` is not. So the key is a column. A
 * trigger keeps it, because processes of the previous release write customers without it. It is not
 * a generated column, because adding one rewrites the table under a lock. The collation "C" sorts
 * alike on every server and in every version of its libraries.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.transaction(async (trx) => {
    // Stop waiting for a lock before the application's sessions do, which wait 2 s.
    await trx.raw("set local lock_timeout = '1s'");
    // The name of the trigger comes before `store_json`, which must be the last.
    await trx.raw(`
      alter table customers add column if not exists sort_name text collate "C";
      create or replace function fold_company_name() returns trigger language plpgsql as $$ begin
        new.sort_name := ${sortName('new')};
        return new;
      end $$;
      create or replace trigger fold_company_name before insert or update on customers
        for each row execute function fold_company_name();
    `);
  });
  for (const tenantId of await listTenants(knex)) while (await walkCustomers(knex, tenantId));
  for (const [name, on] of Object.entries(INDEXES))
    await knex.raw(`create index concurrently if not exists ${name} on ${on}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await knex.raw(`drop index concurrently if exists ${name}`);
  await knex.raw(`
    drop trigger fold_company_name on customers;
    drop function fold_company_name();
    alter table customers drop column sort_name;
  `);
}

/** Lists all tenants in the same way as sweeps do. */
async function listTenants(knex: Knex): Promise<string[]> {
  return knex.transaction(async (trx) => {
    await trx.raw("select set_config('app.purpose', 'directory', true)");
    const { rows } = await trx.raw<{ rows: { tenant_id: string }[] }>('select tenant_id from tenants');
    return rows.map((row) => row.tenant_id);
  });
}

/**
 * Fills the keys of the customers that are older than the trigger, in short transactions. Skips
 * customers that a write has locked, so that no deadlock is possible. Then the trigger fills their
 * keys, or the next walk does. Returns true while customers without a key are left.
 */
async function walkCustomers(knex: Knex, tenantId: string): Promise<boolean> {
  let isLeft = false;
  for (let last = '00000000-0000-0000-0000-000000000000'; last; ) {
    last = await knex.transaction(async (trx): Promise<string> => {
      await trx.raw("select set_config('app.tenant_ids', ?, true)", [tenantId]);
      const { rows } = await trx.raw<{ rows: { last: string | null; is_left: boolean }[] }>(
        `with batch as materialized (
           select c.id, c.sort_name from customers c where c.tenant_id = ? and c.id > ?
           order by c.id limit ${ROWS_PER_BATCH}
         ), free as materialized (
           select c.id from customers c join batch b on b.id = c.id and b.sort_name is null
           where c.tenant_id = ? for no key update of c skip locked
         ), filled as (
           update customers c set sort_name = ${sortName('c')} from free f
           where c.tenant_id = ? and c.id = f.id returning c.id
         )
         select (select b.id from batch b order by b.id desc limit 1) as last,
                (select count(*) from batch b where b.sort_name is null) > (select count(*) from filled) as is_left`,
        [tenantId, last, tenantId, tenantId],
      );
      isLeft ||= rows[0]?.is_left ?? false;
      return rows[0]?.last ?? '';
    });
  }
  // Give the writes that hold the customers a little time to end.
  if (isLeft) await knex.raw('select pg_sleep(0.1)');
  return isLeft;
}
