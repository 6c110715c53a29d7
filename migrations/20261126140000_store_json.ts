import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

const TABLES = ['invoices', 'work_orders', 'customers'];

/**
 * Runs without one transaction around all steps. Each step locks only one filled table, so no step
 * can deadlock with a read or a batch of writes.
 */
export const config = { transaction: false };

/**
 * Adds the JSON text of each record beside its row. The functions do nothing until the release
 * replaces them (shared/records/stored-json/triggers.ts). The clock then walks through the existing
 * rows and stores their texts. `stored_json_walks` says how far it has come.
 *
 * PostgreSQL runs the triggers of a row in the sequence of their names. The trigger that stores the
 * text must be the last one that changes the row.
 */
export async function up(knex: Knex): Promise<void> {
  for (const step of [ADD_WALKS, ...TABLES.map(addColumns)]) {
    await knex.transaction(async (trx) => {
      // Stop waiting for a lock before the application's sessions do, which wait 2 s.
      await trx.raw("set local lock_timeout = '1s'");
      await trx.raw(step);
    });
  }
}

const ADD_WALKS = `
  create table if not exists stored_json_walks (
    tenant_id uuid not null,
    of_table text not null,
    version integer not null,
    after_id uuid not null,
    has_ended boolean not null,
    primary key (tenant_id, of_table)
  );
  alter table stored_json_walks enable row level security;
  alter table stored_json_walks force row level security;
  drop policy if exists tenant_isolation on stored_json_walks;
  create policy tenant_isolation on stored_json_walks using (${POLICY}) with check (${POLICY});
  create or replace function stored_json_version(of_table text) returns integer language sql stable as
    'select null::integer';
`;

function addColumns(table: string): string {
  return `
    alter table ${table}
      add column if not exists stored_json text,
      add column if not exists stored_json_version integer;
    create or replace function store_${table}_json() returns trigger language plpgsql as 'begin return new; end';
    create or replace trigger store_json before insert or update on ${table}
      for each row execute function store_${table}_json();
  `;
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES)
    await knex.raw(`
      drop trigger store_json on ${table};
      drop function store_${table}_json();
      alter table ${table} drop column stored_json, drop column stored_json_version;
    `);
  await knex.raw('drop function stored_json_version(text); drop table stored_json_walks');
}
