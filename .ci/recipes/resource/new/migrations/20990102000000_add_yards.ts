import type { Knex } from 'knex';

/**
 * Restricts reads and writes to rows of the session's tenants. The migration isolate_tenants
 * explains this policy.
 */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table yards (
      tenant_id uuid not null,
      id uuid not null,
      name text not null,
      address text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index yards_created on yards (tenant_id, created_at desc, id desc);
    alter table yards enable row level security;
    alter table yards force row level security;
    create policy tenant_isolation on yards using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table yards');
}
