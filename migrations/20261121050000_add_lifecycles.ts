import type { Knex } from 'knex';

const TABLES = ['trucks', 'drivers', 'work_order_steps', 'inspections', 'payments', 'refunds', 'messages'];

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the tables of trucks, drivers, inspections, steps of work orders, payments, refunds and
 * messages. Adds columns to invoices and work orders for their lifecycles.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table drivers (
      tenant_id uuid not null,
      id uuid not null,
      name text not null,
      phone text,
      duty_classes text[] not null default '{}',
      status text not null default 'active' check (status in ('active', 'inactive')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index drivers_created on drivers (tenant_id, created_at desc, id desc);

    create table trucks (
      tenant_id uuid not null,
      id uuid not null,
      unit_number text not null,
      duty_class text not null check (duty_class in ('light', 'medium', 'heavy')),
      -- What people say of it; a truck on a job shows where that job stands instead.
      status text not null default 'available' check (status in
        ('available', 'assigned', 'en_route', 'on_scene', 'towing', 'returning', 'off_duty', 'out_of_service')),
      driver_id uuid,
      vin text,
      plate text,
      make text,
      model text,
      year integer,
      lat double precision,
      lng double precision,
      heading double precision,
      speed_mph double precision,
      located_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, driver_id) references drivers
    );
    create unique index trucks_unit_number on trucks (tenant_id, lower(unit_number));
    create index trucks_created on trucks (tenant_id, created_at desc, id desc);

    create table work_order_steps (
      tenant_id uuid not null,
      id uuid not null,
      work_order_id uuid not null,
      step text not null check (step in
        ('offered', 'acknowledged', 'en_route', 'on_scene', 'hooked', 'towing', 'at_destination', 'cleared')),
      truck_id uuid,
      driver_id uuid,
      at timestamptz not null,
      lat double precision,
      lng double precision,
      primary key (tenant_id, id),
      foreign key (tenant_id, work_order_id) references work_orders
    );
    create index work_order_steps_job on work_order_steps (tenant_id, work_order_id, at);

    create table inspections (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('pre_trip', 'post_trip', 'vehicle_condition')),
      truck_id uuid,
      driver_id uuid,
      work_order_id uuid,
      vehicle jsonb,
      odometer_miles integer,
      items jsonb not null default '[]',
      defects jsonb not null default '[]',
      photos jsonb not null default '[]',
      result text not null check (result in ('pass', 'pass_with_defects', 'out_of_service')),
      -- An unresolved out-of-service defect of its truck; it blocks dispatch.
      blocks_dispatch boolean not null default false,
      notes text,
      submitted_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, truck_id) references trucks,
      foreign key (tenant_id, driver_id) references drivers,
      foreign key (tenant_id, work_order_id) references work_orders
    );
    create index inspections_created on inspections (tenant_id, created_at desc, id desc);
    create index inspections_truck on inspections (tenant_id, truck_id, created_at desc, id desc) where truck_id is not null;
    create index inspections_job on inspections (tenant_id, work_order_id, created_at desc, id desc) where work_order_id is not null;
    create index inspections_blocking on inspections (tenant_id, truck_id) where blocks_dispatch;

    create table payments (
      tenant_id uuid not null,
      id uuid not null,
      invoice_id uuid not null,
      -- The invoice's own: whose credit it is.
      customer_id uuid,
      amount_cents bigint not null check (amount_cents > 0),
      method text not null check (method in ('cash', 'check', 'card', 'ach', 'motor_club', 'other')),
      -- What of it counts against the invoice; the rest is the customer's credit.
      applied_cents bigint not null check (applied_cents between 0 and amount_cents),
      refunded_cents bigint not null default 0 check (refunded_cents >= 0),
      received_at timestamptz not null default now(),
      reference text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      check (applied_cents + refunded_cents <= amount_cents),
      foreign key (tenant_id, invoice_id) references invoices
    );
    create index payments_invoice on payments (tenant_id, invoice_id, created_at desc, id desc);
    create index payments_credit on payments (tenant_id, customer_id) where amount_cents > applied_cents + refunded_cents;
    create index payments_created on payments (tenant_id, created_at desc, id desc);

    create table refunds (
      tenant_id uuid not null,
      id uuid not null,
      payment_id uuid not null,
      amount_cents bigint not null check (amount_cents > 0),
      reason text not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, payment_id) references payments
    );
    create index refunds_payment on refunds (tenant_id, payment_id);

    -- What was sent to customers, or waits to be; without a mail server this outbox is where it stays, to be seen.
    create table messages (
      tenant_id uuid not null,
      id uuid not null,
      invoice_id uuid not null,
      channel text not null check (channel in ('email', 'sms')),
      recipient text not null,
      subject text,
      body_text text not null,
      body_html text,
      state text not null check (state in ('queued', 'sent', 'failed')),
      -- Who took it: outbox when it only lies here.
      provider text not null,
      error text,
      created_at timestamptz not null default now(),
      sent_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, invoice_id) references invoices
    );
    create index messages_created on messages (tenant_id, created_at desc, id desc);
    create index messages_invoice on messages (tenant_id, invoice_id);

    alter table invoices
      -- When and as what it first left the house: what a reopened invoice goes back to.
      add column released_at timestamptz,
      add column released_as text check (released_as in ('sending', 'sent_to_roadsync')),
      add column viewed_at timestamptz,
      add column status_reason text;
    alter table work_orders
      add column cancel_reason text check (cancel_reason in ('customer', 'club', 'provider', 'goa', 'unsuccessful')),
      add column cancel_note text,
      add column eta timestamptz,
      add column priority integer not null default 0,
      add column miles numeric check (miles >= 0);
  `);
  for (const table of TABLES) {
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table messages, refunds, payments, inspections, work_order_steps, trucks, drivers;
    alter table invoices drop column released_at, drop column released_as, drop column viewed_at, drop column status_reason;
    alter table work_orders drop column cancel_reason, drop column cancel_note, drop column eta, drop column priority, drop column miles;
  `);
}
