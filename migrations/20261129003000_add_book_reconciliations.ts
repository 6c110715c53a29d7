import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds the comparisons of months with the books, and the differences that they have found. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The last comparison of each connection. The next one replaces it.
    create table book_reconciliations (
      tenant_id uuid not null,
      connection_id uuid not null,
      -- Differs for each comparison, so that a worker notices a new one.
      id uuid not null,
      -- The first days of the first and of the last compared month.
      from_month date not null,
      to_month date not null,
      status text not null default 'running' check (status in ('running', 'complete')),
      -- Maps each month to the sums of both sides, as far as they were read.
      months jsonb not null default '{}',
      -- All differences, and those that there was no room to store.
      differences integer not null default 0,
      omitted integer not null default 0,
      started_at timestamptz not null default now(),
      ended_at timestamptz,
      primary key (tenant_id, connection_id)
    );

    create table book_differences (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      -- Null if the date there is unknown.
      month date,
      code text not null,
      invoice_id uuid,
      external_id text,
      invoice_number text,
      message text not null,
      ours jsonb,
      theirs jsonb,
      created_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index book_differences_of_connection on book_differences (tenant_id, connection_id, created_at desc, id desc);
  `);
  for (const table of ['book_reconciliations', 'book_differences'])
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table book_differences; drop table book_reconciliations');
}
