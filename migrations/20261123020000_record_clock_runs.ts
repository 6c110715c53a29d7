import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds two tables for the clock: the accounts that a sweep had to skip, and the last success of
 * each schedule. Schedules belong to no tenant, so their table is in a separate schema.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sweep_faults (
      tenant_id uuid not null,
      task text not null,
      error text not null,
      failed_since timestamptz not null default now(),
      last_failed_at timestamptz not null default now(),
      logged_at timestamptz not null default now(),
      primary key (tenant_id, task)
    );
    alter table sweep_faults enable row level security;
    alter table sweep_faults force row level security;
    create policy tenant_isolation on sweep_faults using (${POLICY}) with check (${POLICY});

    create schema clock;
    create table clock.schedule_runs (
      schedule text primary key,
      -- A schedule that has never succeeded is late from here on.
      known_since timestamptz not null default now(),
      last_succeeded_at timestamptz,
      last_failed_at timestamptz,
      last_error text
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop schema clock cascade; drop table sweep_faults');
}
