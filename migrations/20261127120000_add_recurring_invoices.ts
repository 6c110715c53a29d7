import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds recurring invoices, from which the clock creates invoices. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table recurring_invoices (
      tenant_id uuid not null,
      id uuid not null,
      description text,
      customer_id uuid not null,
      every text not null check (every in ('week', 'month', 'quarter')),
      -- Days of the calendar, not instants, so no change of clocks or time zone moves them.
      anchor_date date not null,
      ends_on date,
      line_items jsonb not null,
      release text not null default 'draft' check (release in ('draft', 'send')),
      status text not null default 'active' check (status in ('active', 'paused', 'ended')),
      -- Null: it is paused or has ended.
      next_date date,
      last_date date,
      last_invoice_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, customer_id) references customers (tenant_id, id),
      check ((next_date is not null) = (status = 'active'))
    );
    create index recurring_invoices_created on recurring_invoices (tenant_id, created_at desc, id desc);
    create index recurring_invoices_customer on recurring_invoices (tenant_id, customer_id, created_at desc, id desc);
    create index recurring_invoices_due on recurring_invoices (tenant_id, next_date) where next_date is not null;
    create index recurring_invoices_open on recurring_invoices (tenant_id) where status <> 'ended';
    alter table recurring_invoices enable row level security;
    alter table recurring_invoices force row level security;
    create policy tenant_isolation on recurring_invoices using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table recurring_invoices');
}
