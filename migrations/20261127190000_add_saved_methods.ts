import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds the payment methods that customers save, and the attempts to charge invoices to them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table saved_methods (
      tenant_id uuid not null,
      id uuid not null,
      customer_id uuid not null,
      connection_id uuid not null,
      status text not null check (status in ('opening', 'open', 'verifying', 'active', 'failed', 'removed')),
      type text,
      brand text,
      last4 text,
      exp_month integer,
      exp_year integer,
      url text,
      expires_at timestamptz,
      verification_url text,
      error text,
      provider_customer_id text,
      provider_method_id text,
      -- The month, as YYYY-MM, for which the expiry of the card was announced.
      announced_expiry text,
      -- When a worker read at the vendor what is stored here. An older reading changes nothing.
      observed_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index saved_methods_created on saved_methods (tenant_id, created_at desc, id desc);
    create index saved_methods_of_customer on saved_methods (tenant_id, customer_id, created_at desc, id desc);
    alter table saved_methods enable row level security;
    alter table saved_methods force row level security;
    create policy tenant_isolation on saved_methods using (${POLICY}) with check (${POLICY});

    create table autopay_attempts (
      tenant_id uuid not null,
      id uuid not null,
      invoice_id uuid not null,
      payment_method_id uuid not null,
      connection_id uuid not null,
      attempt integer not null check (attempt > 0),
      amount_cents bigint not null check (amount_cents > 0),
      status text not null check (status in ('charging', 'processing', 'succeeded', 'failed', 'cancelled')),
      decline_code text,
      failure_reason text,
      provider_payment_id text,
      next_attempt_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      unique (tenant_id, invoice_id, attempt)
    );
    create index autopay_attempts_created on autopay_attempts (tenant_id, created_at desc, id desc);
    create index autopay_attempts_processing on autopay_attempts (tenant_id, id) where status = 'processing';
    alter table autopay_attempts enable row level security;
    alter table autopay_attempts force row level security;
    create policy tenant_isolation on autopay_attempts using (${POLICY}) with check (${POLICY});

    alter table customers add column autopay jsonb;
    alter table recurring_invoices add column autopay jsonb;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table recurring_invoices drop column autopay;
    alter table customers drop column autopay;
    drop table autopay_attempts;
    drop table saved_methods;
  `);
}
