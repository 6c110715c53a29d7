import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds the card readers of accounts, and the payments that a reader asks a customer for. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table terminal_readers (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      external_id text not null,
      label text not null,
      device_type text,
      status text not null check (status in ('online', 'offline', 'removed')),
      -- When a worker read at the vendor what is stored here. An older reading changes nothing.
      observed_at timestamptz not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index terminal_readers_created on terminal_readers (tenant_id, created_at desc, id desc);
    create index terminal_readers_of_connection on terminal_readers (tenant_id, connection_id);
    alter table terminal_readers enable row level security;
    alter table terminal_readers force row level security;
    create policy tenant_isolation on terminal_readers using (${POLICY}) with check (${POLICY});

    create table terminal_payments (
      tenant_id uuid not null,
      id uuid not null,
      invoice_id uuid not null,
      reader_id uuid not null,
      -- Null: the sandbox pretends the payment.
      connection_id uuid,
      amount_cents bigint not null check (amount_cents > 0),
      status text not null default 'waiting' check (status in ('waiting', 'processing', 'succeeded', 'failed', 'cancelled')),
      failure_reason text,
      payment_id uuid,
      pretend_url text,
      expires_at timestamptz not null,
      cancel_requested_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index terminal_payments_created on terminal_payments (tenant_id, created_at desc, id desc);
    create index terminal_payments_of_invoice on terminal_payments (tenant_id, invoice_id, created_at desc, id desc);
    create index terminal_payments_open on terminal_payments (tenant_id, expires_at) where status in ('waiting', 'processing');
    alter table terminal_payments enable row level security;
    alter table terminal_payments force row level security;
    create policy tenant_isolation on terminal_payments using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table terminal_payments; drop table terminal_readers;');
}
