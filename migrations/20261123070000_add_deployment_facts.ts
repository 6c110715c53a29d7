import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds a table for values that every process of a deployment must agree on. The rows belong to no
 * tenant, so their tenant_id is the nil UUID.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table deployment_facts (
      tenant_id uuid not null,
      name text not null,
      value text not null,
      updated_at timestamptz not null default now(),
      primary key (tenant_id, name)
    );
    alter table deployment_facts enable row level security;
    alter table deployment_facts force row level security;
    create policy tenant_isolation on deployment_facts using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table deployment_facts');
}
