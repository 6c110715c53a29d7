import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds the vehicles that telematics vendors list, and the past positions of trucks. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Positions change often. Room in each page keeps new versions of a row beside the old ones, so
    -- that no index changes.
    alter table trucks set (fillfactor = 70);

    create table connection_vehicles (
      tenant_id uuid not null,
      -- Derived from the connection and the external id.
      id uuid not null,
      connection_id uuid not null,
      external_id text not null,
      name text,
      vin text,
      plate text,
      make text,
      model text,
      year integer,
      duty_class text check (duty_class in ('light', 'medium', 'heavy')),
      -- The read of the vendor's list that found it last.
      listed_by uuid not null,
      -- Null while the vendor lists it.
      removed_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index connection_vehicles_of_connection on connection_vehicles (tenant_id, connection_id, created_at desc, id desc);

    -- At most one position of a truck in each interval. The ids begin with the interval's start.
    create table truck_positions (
      tenant_id uuid not null,
      id uuid not null,
      truck_id uuid not null,
      connection_id uuid not null,
      lat double precision not null,
      lng double precision not null,
      heading double precision,
      speed_mph double precision,
      at timestamptz not null,
      primary key (tenant_id, id)
    ) partition by range (id);
    create index truck_positions_of_truck on truck_positions (tenant_id, truck_id, id desc);
    create table partitions.truck_positions_default partition of truck_positions default;
  `);
  for (const table of ['connection_vehicles', 'truck_positions'])
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop table truck_positions; drop table connection_vehicles; alter table trucks reset (fillfactor)',
  );
}
