import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of export schedules. A schedule defines an export and the times at which it is
 * created.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table export_schedules (
      tenant_id uuid not null,
      id uuid not null,
      resource text not null check (resource in ('invoices', 'customers', 'work_orders', 'inspections', 'all')),
      format text not null check (format in ('csv', 'json', 'ndjson', 'dump')),
      filters jsonb not null default '{}',
      include text[] not null default '{}',
      compression text not null default 'gzip' check (compression in ('gzip', 'none')),
      bom boolean not null default false,
      decimals boolean not null default false,
      cadence text not null check (cadence in ('daily', 'weekly', 'monthly')),
      -- Of the day, in the tenant's time zone.
      hour smallint not null check (hour between 0 and 23),
      weekday text check (weekday in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')),
      -- Of the month; the last one where a month is shorter.
      day smallint check (day between 1 and 31),
      period text not null default 'all' check (period in ('all', 'previous')),
      enabled boolean not null default true,
      -- Null: it is disabled or deleted.
      next_run_at timestamptz,
      last_run_at timestamptz,
      last_export_id uuid,
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      check ((weekday is not null) = (cadence = 'weekly') and (day is not null) = (cadence = 'monthly')),
      check ((next_run_at is not null) = (enabled and deleted_at is null))
    );
    create index export_schedules_created on export_schedules (tenant_id, created_at desc, id desc) where deleted_at is null;
    create index export_schedules_due on export_schedules (tenant_id, next_run_at) where next_run_at is not null;
    alter table export_schedules enable row level security;
    alter table export_schedules force row level security;
    create policy tenant_isolation on export_schedules using (${POLICY}) with check (${POLICY});
    create index exports_of_schedule on exports (tenant_id, schedule_id, created_at desc, id desc) where schedule_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index exports_of_schedule;
    drop table export_schedules;
  `);
}
