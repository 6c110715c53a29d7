import type { Knex } from 'knex';

/**
 * Runs without one transaction around all steps. Each step then holds its locks only briefly, so
 * that the application can run meanwhile.
 */
export const config = { transaction: false };

/** Maps each table to the columns that its list searches. */
const SEARCHED: Readonly<Record<string, readonly [string, string]>> = {
  customers: ['company_name', 'billing_email'],
  work_orders: ['job_number', 'vin'],
  invoices: ['invoice_number', 'po_number'],
  claims: ['club', 'po_number'],
};

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Shorter than the lock timeout of the application's sessions (2 s). Writes that wait behind this
 * migration then do not fail.
 */
const SHORT_LOCK_TIMEOUT = "set local lock_timeout = '1s'";

const ROWS_PER_BATCH = 5000;

/**
 * Adds an index for substring searches that PostgreSQL can use under row-level security.
 *
 * PostgreSQL may evaluate only leakproof operators before a policy. ILIKE and the operators of
 * pg_trgm are not leakproof, so PostgreSQL would never use an index on the records themselves. Here
 * the search itself is a policy. `search_keys` is restrictive, so PostgreSQL applies it before
 * `tenant_isolation`, with the index on `keys`. It can only hide rows; `tenant_isolation` still
 * decides which rows are visible.
 *
 * A record has one key for every three consecutive letters of its searched columns. The key is a
 * hash of the letters, the list, the tenant and a window of 24 days. The tenant in the key keeps a
 * search away from the index entries of other tenants. The window lets the search read a page
 * window by window, the newest first.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.transaction(createEntries);
  for (const [table, columns] of Object.entries(SEARCHED))
    await knex.transaction((trx) => createTriggers(trx, table, columns));
  // The triggers index every later change, so the backfill need not be fast.
  for (const tenantId of await listTenants(knex))
    for (const [table, columns] of Object.entries(SEARCHED))
      await backfill(knex, { tenantId, table, columns });
  await knex.raw('drop index concurrently if exists search_entries_keys');
  // Every search reads the index's pending list once per window. The limit keeps this list short.
  await knex.raw(
    'create index concurrently search_entries_keys on search_entries using gin (keys) with (gin_pending_list_limit = 64)',
  );
}

export async function down(knex: Knex): Promise<void> {
  for (const table of Object.keys(SEARCHED)) {
    await knex.raw(`
      drop function if exists add_search_entries_${table}, update_search_entry_${table}, delete_search_entry_${table} cascade`);
  }
  await knex.raw(`
    drop function if exists find_search_entries, search_keys, search_window;
    drop table if exists search_entries`);
}

async function createEntries(trx: Knex): Promise<void> {
  await trx.raw(`
    ${SHORT_LOCK_TIMEOUT};
    create table if not exists search_entries (
      tenant_id uuid not null,
      resource text not null,
      id uuid not null,
      created_at timestamptz not null,
      keys bigint[] not null,
      primary key (tenant_id, resource, id)
    );
    alter table search_entries enable row level security;
    alter table search_entries force row level security;
    drop policy if exists tenant_isolation on search_entries;
    create policy tenant_isolation on search_entries using (${POLICY}) with check (${POLICY});
    drop policy if exists search_keys on search_entries;
    create policy search_keys on search_entries as restrictive for select
      using (keys @> (select coalesce(nullif(current_setting('app.search_keys', true), ''), '{}')::bigint[]));

    -- 2^21 seconds, about 24 days.
    create or replace function search_window(created_at timestamptz) returns integer language sql stable as $$
      select floor(extract(epoch from created_at) / 2097152)::integer
    $$;

    -- ILIKE folds case as lower() does.
    create or replace function search_keys(resource text, tenant_id uuid, window_number integer, texts text[]) returns bigint[]
    language plpgsql stable as $$
    declare
      seed bigint := hashtextextended(concat_ws(':', resource, tenant_id, window_number), 0);
      keys bigint[] := '{}';
      folded text;
    begin
      foreach folded in array texts loop
        folded := lower(folded);
        for place in 1 .. coalesce(length(folded), 0) - 2 loop
          keys := keys || hashtextextended(substr(folded, place, 3), seed);
        end loop;
      end loop;
      return keys;
    end $$;

    -- Candidates of one window, newest first. The query has no condition of its own: the policy's
    -- is the only one that an index serves, so no plan can read a tenant's every entry. 24 letters
    -- of a long term select well enough.
    create or replace function find_search_entries(of_tenant uuid, of_resource text, term text, window_number integer) returns setof uuid
    language plpgsql volatile rows 50 set enable_bitmapscan = on as $$
    begin
      perform set_config('app.search_keys', search_keys(of_resource, of_tenant, window_number, array[left(term, 24)])::text, true);
      return query select e.id from search_entries e order by e.created_at desc, e.id desc;
      perform set_config('app.search_keys', '', true);
    end $$;
  `);
}

/**
 * Creates the triggers, which run with the rights of the application's role. For inserts, the
 * trigger runs once per query. Deletes and updates of searched columns are rare, so for them it
 * runs once per row.
 */
async function createTriggers(trx: Knex, table: string, columns: readonly [string, string]): Promise<void> {
  const changed = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  const replace =
    'on conflict (tenant_id, resource, id) do update set keys = excluded.keys; return null; end';
  await trx.raw(`
    ${SHORT_LOCK_TIMEOUT};
    create or replace function add_search_entries_${table}() returns trigger language plpgsql as $$ begin
      insert into search_entries (tenant_id, resource, id, created_at, keys) ${entriesOf(table, columns, 'added')} ${replace} $$;
    create or replace function update_search_entry_${table}() returns trigger language plpgsql as $$ begin
      insert into search_entries (tenant_id, resource, id, created_at, keys) ${entriesOf(table, columns, '(select new.*)')} ${replace} $$;
    create or replace function delete_search_entry_${table}() returns trigger language plpgsql as $$ begin
      delete from search_entries e where e.tenant_id = old.tenant_id and e.resource = '${table}' and e.id = old.id; return null; end $$;
    create or replace trigger search_entries_added after insert on ${table}
      referencing new table as added for each statement execute function add_search_entries_${table}();
    create or replace trigger search_entry_updated after update of ${columns.join(', ')} on ${table}
      for each row when (${changed}) execute function update_search_entry_${table}();
    create or replace trigger search_entry_deleted after delete on ${table}
      for each row execute function delete_search_entry_${table}();
  `);
}

function entriesOf(table: string, columns: readonly [string, string], source: string): string {
  return `select r.tenant_id, '${table}', r.id, r.created_at,
    search_keys('${table}', r.tenant_id, search_window(r.created_at), array[${columns.map((column) => `r.${column}`).join(', ')}]) from ${source} r`;
}

/**
 * Lists all tenants in the same way as sweeps do. The caller must set each tenant before its rows
 * are read, because the policies apply to the owner too.
 */
async function listTenants(knex: Knex): Promise<string[]> {
  return knex.transaction(async (trx) => {
    await trx.raw("select set_config('app.purpose', 'directory', true)");
    const { rows } = await trx.raw('select tenant_id from tenants order by tenant_id');
    return rows.map((row: { tenant_id: string }) => row.tenant_id);
  });
}

interface BackfillOptions {
  tenantId: string;
  table: string;
  columns: readonly [string, string];
}

/**
 * Adds the entries of records that are older than the triggers, in short transactions. If a trigger
 * has added an entry meanwhile, keeps that entry, because it is newer.
 */
async function backfill(knex: Knex, { tenantId, table, columns }: BackfillOptions): Promise<void> {
  for (let last = '00000000-0000-0000-0000-000000000000'; last; ) {
    last = await knex.transaction(async (trx): Promise<string> => {
      await trx.raw("select set_config('app.tenant_ids', ?, true)", [tenantId]);
      const { rows } = await trx.raw(
        `with batch as materialized (
           select * from ${table} where tenant_id = ? and id > ? order by id limit ${ROWS_PER_BATCH}
         ), added as (
           insert into search_entries (tenant_id, resource, id, created_at, keys) ${entriesOf(table, columns, 'batch')}
           on conflict (tenant_id, resource, id) do nothing
         )
         select id from batch order by id desc limit 1`,
        [tenantId, last],
      );
      return rows[0]?.id ?? '';
    });
  }
}
