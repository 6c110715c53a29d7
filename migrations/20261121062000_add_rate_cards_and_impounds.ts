import type { Knex } from 'knex';

const TABLES = ['rate_cards', 'impounds'];

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

const STATUSES = `'stored', 'hold', 'pending_release', 'released', 'lien', 'auction', 'disposed'`;

/**
 * Adds the tables of rate cards and impounds. Versions of a rate card are never edited. Impounds
 * are vehicles in the yard, with their storage charges.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table rate_cards (
      tenant_id uuid not null,
      id uuid not null,
      name text not null,
      version integer not null check (version > 0),
      effective_from date not null,
      is_default boolean not null,
      after_hours_start time not null,
      after_hours_end time not null,
      after_hours_weekends boolean not null,
      items jsonb not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create unique index rate_cards_version on rate_cards (tenant_id, lower(name), version);
    create index rate_cards_created on rate_cards (tenant_id, created_at desc, id desc);
    create index rate_cards_default on rate_cards (tenant_id, effective_from desc, id desc) where is_default;

    create table impounds (
      tenant_id uuid not null,
      id uuid not null,
      work_order_id uuid,
      customer_id uuid,
      status text not null check (status in (${STATUSES})),
      -- The state that a hold ends with.
      held_from text check (held_from in (${STATUSES})),
      hold_reason text,
      vehicle_vin text,
      vehicle_plate text,
      vehicle_make text,
      vehicle_model text,
      vehicle_year integer,
      vehicle_color text,
      lot text,
      spot text,
      notes text,
      impounded_at timestamptz not null,
      released_at timestamptz,
      release_kind text check (release_kind in
        ('owner', 'insurance', 'lienholder', 'no_charge', 'surrendered', 'junked', 'bill_account')),
      released_to text,
      daily_rate_cents bigint not null check (daily_rate_cents between 0 and 1000000000),
      free_days integer not null check (free_days >= 0),
      -- Days that storage is charged for so far: the started ones without the free ones.
      accrued_days integer not null default 0 check (accrued_days >= 0),
      storage_cents bigint not null generated always as (accrued_days * daily_rate_cents) stored,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      check ((status in ('released', 'disposed')) = (released_at is not null)),
      check ((status = 'hold') = (held_from is not null)),
      foreign key (tenant_id, work_order_id) references work_orders,
      foreign key (tenant_id, customer_id) references customers
    );
    create index impounds_created on impounds (tenant_id, created_at desc, id desc);
    create index impounds_status on impounds (tenant_id, status, created_at desc, id desc);
    create unique index impounds_work_order on impounds (tenant_id, work_order_id) where work_order_id is not null;
    create index impounds_open on impounds (tenant_id, id) where released_at is null;

    -- Any version of a card; the one in force is used. Checked by validate_customer_rate_cards, beside the traffic.
    alter table customers add column rate_card_id uuid;
    alter table customers add constraint customers_rate_card foreign key (tenant_id, rate_card_id) references rate_cards not valid;
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
  await knex.raw('alter table customers drop column rate_card_id; drop table impounds, rate_cards');
}
