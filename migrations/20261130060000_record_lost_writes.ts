import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of writes that were acknowledged, but are missing since a standby became the
 * primary. It has no foreign key, because the account itself may be missing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table lost_writes (
      tenant_id uuid not null,
      command_id uuid not null,
      type text not null,
      record_id uuid not null,
      acknowledged_at timestamptz not null,
      found_at timestamptz not null default now(),
      -- The timelines before and after the promotion.
      from_timeline bigint not null,
      to_timeline bigint not null,
      resolved_at timestamptz,
      primary key (tenant_id, command_id)
    );
    alter table lost_writes enable row level security;
    alter table lost_writes force row level security;
    create policy tenant_isolation on lost_writes using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table lost_writes');
}
