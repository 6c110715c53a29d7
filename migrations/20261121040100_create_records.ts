import type { Knex } from 'knex';

/**
 * Creates the tables of customers, work orders, invoices and line items, and of the counters for
 * job and invoice numbers. These tables have no foreign key to `tenants`. Each insert would check
 * such a key by a lock on the tenant's row, so all writes of a tenant would lock the same row (see
 * create_write_path).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table tenant_counters (
      tenant_id uuid not null,
      name text not null,
      value bigint not null,
      primary key (tenant_id, name)
    );

    create table customers (
      tenant_id uuid not null,
      id uuid not null,
      company_name text not null,
      company_type text not null,
      billing_email text,
      primary_phone text,
      address text,
      city text,
      state text,
      zip text,
      is_active boolean not null default true,
      terms_days integer,
      tax_exempt boolean not null default false,
      tax_rate_bps integer check (tax_rate_bps between 0 and 10000),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index customers_created on customers (tenant_id, created_at desc, id desc);

    create table work_orders (
      tenant_id uuid not null,
      id uuid not null,
      job_number text not null,
      status text not null default 'pending'
        check (status in ('pending', 'dispatched', 'in_progress', 'completed', 'cancelled')),
      intake text not null check (intake in ('new', 'accepted')),
      billing_status text not null default 'unbilled' check (billing_status in
        ('unbilled', 'ready_to_bill', 'invoiced', 'billed', 'partially_paid', 'paid', 'disputed', 'not_billable')),
      service_type text not null,
      customer_id uuid,
      pickup_location text,
      pickup_lat double precision,
      pickup_lng double precision,
      dropoff_location text,
      vin text,
      vehicle_make text,
      vehicle_model text,
      vehicle_year integer,
      unit_number text,
      contact_name text,
      contact_phone text,
      notes text,
      truck_id uuid,
      driver_id uuid,
      step text,
      dispatch_time timestamptz,
      completion_time timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      unique (tenant_id, job_number),
      foreign key (tenant_id, customer_id) references customers
    );
    create index work_orders_created on work_orders (tenant_id, created_at desc, id desc);
    create index work_orders_status on work_orders (tenant_id, status, created_at desc, id desc);
    create index work_orders_customer on work_orders (tenant_id, customer_id, created_at desc, id desc)
      where customer_id is not null;

    create table invoices (
      tenant_id uuid not null,
      id uuid not null,
      invoice_number text not null,
      status text not null default 'draft' check (status in
        ('draft', 'needs_review', 'approved', 'sending', 'sent_to_roadsync', 'viewed', 'partially_paid', 'paid', 'overdue',
         'disputed', 'failed', 'void', 'cancelled')),
      customer_id uuid,
      work_order_id uuid,
      billing_email text,
      po_number text,
      vehicle_description text,
      notes text,
      due_date timestamptz,
      service_date timestamptz,
      tax_rate_bps integer not null default 0,
      subtotal_cents bigint not null default 0,
      tax_cents bigint not null default 0,
      total_cents bigint not null default 0 check (total_cents between 0 and 100000000000),
      paid_cents bigint not null default 0 check (paid_cents >= 0),
      balance_due_cents bigint not null generated always as (greatest(subtotal_cents + tax_cents - paid_cents, 0)) stored,
      created_by_agent boolean not null default false,
      sent_at timestamptz,
      paid_at timestamptz,
      delivery_state text check (delivery_state in ('queued', 'sent', 'failed')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      check (total_cents = subtotal_cents + tax_cents),
      foreign key (tenant_id, customer_id) references customers,
      foreign key (tenant_id, work_order_id) references work_orders
    );
    create unique index invoices_number on invoices (tenant_id, lower(invoice_number));
    create index invoices_created on invoices (tenant_id, created_at desc, id desc);
    create index invoices_status on invoices (tenant_id, status, created_at desc, id desc);
    create index invoices_customer on invoices (tenant_id, customer_id, created_at desc, id desc)
      where customer_id is not null;
    create index invoices_work_order on invoices (tenant_id, work_order_id) where work_order_id is not null;

    create table invoice_line_items (
      tenant_id uuid not null,
      invoice_id uuid not null,
      position integer not null,
      id uuid not null,
      name text not null,
      description text,
      category text not null,
      quantity numeric not null check (quantity > 0),
      unit_type text not null,
      unit_price_cents bigint not null,
      total_cents bigint not null,
      taxable boolean not null,
      primary key (tenant_id, invoice_id, position),
      foreign key (tenant_id, invoice_id) references invoices
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table invoice_line_items, invoices, work_orders, customers, tenant_counters');
}
