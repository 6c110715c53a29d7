import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Stores what the settings of accounting connections may name: accounts and tax codes. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connection_choices (
      tenant_id uuid not null,
      connection_id uuid not null,
      -- What is chosen: account or tax.
      subject text not null,
      choices jsonb not null,
      read_at timestamptz not null default now(),
      primary key (tenant_id, connection_id, subject)
    );
    alter table connection_choices enable row level security;
    alter table connection_choices force row level security;
    create policy tenant_isolation on connection_choices using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table connection_choices');
}
