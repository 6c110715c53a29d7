import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds pay links, which lead customers to a payments vendor, and what the vendor reports about a
 * payment. Stores in the items of webhooks which record the vendor named.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table pay_links (
      tenant_id uuid not null,
      id uuid not null,
      invoice_id uuid not null,
      -- Null: the sandbox pretends the payment.
      connection_id uuid,
      amount_cents bigint not null check (amount_cents > 0),
      status text not null check (status in ('opening', 'open', 'paid', 'closed', 'failed')),
      url text,
      expires_at timestamptz,
      error text,
      -- The path on our host to which the vendor sends the customer back.
      return_path text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index pay_links_created on pay_links (tenant_id, created_at desc, id desc);
    create index pay_links_of_invoice on pay_links (tenant_id, invoice_id, id desc);
    alter table pay_links enable row level security;
    alter table pay_links force row level security;
    create policy tenant_isolation on pay_links using (${POLICY}) with check (${POLICY});

    alter table invoices add column pay_link_id uuid;

    alter table payments add column status text not null default 'succeeded';
    alter table payments add column provider text;
    alter table payments add column provider_payment_id text;
    alter table payments add column fee_cents bigint;
    alter table payments add column failure_reason text;
    alter table payments add column connection_id uuid;
    alter table payments add column pay_link_id uuid;
    -- When a worker read at the vendor what is stored here. An older reading changes nothing.
    alter table payments add column observed_at timestamptz;
    alter table payments add constraint payments_status
      check (status in ('processing', 'succeeded', 'failed')) not valid;

    alter table inbound_notices add column hint text;
    -- True until the record that the item names was read at the vendor.
    alter table inbound_notices add column is_waiting boolean not null default false;
    alter table inbound_notices add column attempts integer not null default 0;
    alter table inbound_notices add column due_at timestamptz not null default now();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table inbound_notices drop column due_at, drop column attempts, drop column is_waiting, drop column hint;
    alter table payments drop constraint payments_status;
    alter table payments drop column observed_at, drop column pay_link_id, drop column connection_id, drop column failure_reason,
      drop column fee_cents, drop column provider_payment_id, drop column provider, drop column status;
    alter table invoices drop column pay_link_id;
    drop table pay_links;
  `);
}
