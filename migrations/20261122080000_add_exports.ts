import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of exports. A row contains the whole state of an export: the export request, the
 * progress and the result. A job of the queue only wakes a worker.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table exports (
      tenant_id uuid not null,
      id uuid not null,
      resource text not null check (resource in ('invoices', 'customers', 'work_orders', 'inspections', 'all')),
      format text not null check (format in ('csv', 'json', 'ndjson', 'dump')),
      filters jsonb not null default '{}',
      include text[] not null default '{}',
      compression text not null default 'gzip' check (compression in ('gzip', 'none')),
      bom boolean not null default false,
      decimals boolean not null default false,
      status text not null default 'queued'
        check (status in ('queued', 'running', 'completed', 'failed', 'cancelled', 'expired')),
      -- Null: nobody could say.
      estimated_rows bigint,
      -- So far; of what is completed, all of it.
      rows bigint not null default 0,
      bytes bigint not null default 0,
      -- Where storage keeps it; stays until it has been deleted there.
      object_key text,
      file_name text,
      content_type text,
      sha256 text,
      files jsonb not null default '[]',
      error jsonb,
      -- All there were, and those since it was last queued. The first never goes back: it tells one run from another.
      attempts integer not null default 0,
      tries integer not null default 0,
      lease_owner uuid,
      -- No worker takes it before this: the lease of the one that has it, or the wait after a failure.
      lease_until timestamptz not null default now(),
      -- A replica that has come this far has everything that was there when it was asked for.
      wal_lsn pg_lsn not null default pg_current_wal_insert_lsn(),
      schedule_id uuid,
      started_at timestamptz,
      completed_at timestamptz,
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index exports_created on exports (tenant_id, created_at desc, id desc);
    create unique index exports_running on exports (tenant_id) where status = 'running';
    create index exports_open on exports (tenant_id, id) where status in ('queued', 'running');
    create index exports_expiring on exports (tenant_id, expires_at) where status = 'completed';
    create index exports_discarded on exports (tenant_id, id) where object_key is not null and status <> 'completed';
    alter table exports enable row level security;
    alter table exports force row level security;
    create policy tenant_isolation on exports using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table exports');
}
