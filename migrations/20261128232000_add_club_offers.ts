import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds the jobs that motor clubs offer to accounts, and binds keys and endpoints to a club. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table club_offers (
      tenant_id uuid not null,
      id uuid not null,
      -- The club's first API key. Its successors keep this id, so they see the same offers.
      club_id uuid not null,
      club text not null,
      reference text not null,
      status text not null default 'received'
        check (status in ('received', 'accepted', 'refused', 'expired', 'confirmed', 'withdrawn')),
      service_type text not null,
      pickup_location text,
      pickup_lat double precision,
      pickup_lng double precision,
      dropoff_location text,
      vehicle_make text,
      vehicle_model text,
      vehicle_year integer,
      vin text,
      contact_name text,
      contact_phone text,
      notes text,
      po_number text,
      offered_cents bigint check (offered_cents >= 0),
      respond_by timestamptz not null,
      answered_at timestamptz,
      eta timestamptz,
      refusal_reason text,
      refusal_note text,
      withdrawal_reason text check (withdrawal_reason in ('cancelled', 'goa')),
      withdrawal_note text,
      customer_id uuid,
      work_order_id uuid,
      progress text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create unique index club_offers_reference on club_offers (tenant_id, club_id, reference);
    create index club_offers_created on club_offers (tenant_id, created_at desc, id desc);
    create index club_offers_of_club on club_offers (tenant_id, club_id, created_at desc, id desc);
    create index club_offers_of_status on club_offers (tenant_id, status, created_at desc, id desc);
    -- Finds who was billed for the last accepted offer of a club.
    create index club_offers_billed on club_offers (tenant_id, club_id, created_at desc, id desc) where customer_id is not null;
    create index club_offers_waiting on club_offers (tenant_id, respond_by) where status = 'received';
    create index club_offers_of_work_order on club_offers (tenant_id, work_order_id) where work_order_id is not null;
    alter table club_offers enable row level security;
    alter table club_offers force row level security;
    create policy tenant_isolation on club_offers using (${POLICY}) with check (${POLICY});

    -- Null for every key that is no club's.
    alter table api_keys add column club_id uuid;
    -- A worker of an older release stores and rolls a club's key without club_id.
    create or replace function set_club_of_key() returns trigger language plpgsql as $$ begin
      new.club_id := coalesce(
        (select o.club_id from api_keys o where o.tenant_id = new.tenant_id and o.id = new.rolled_from), new.id);
      return new;
    end $$;
    create trigger set_club_of_key before insert on api_keys for each row
      when (new.club_id is null and 'club_offers' = any (new.permissions)) execute function set_club_of_key();
    -- An endpoint with a club gets only events about the offers of this club.
    alter table webhook_endpoints add column club_id uuid;
    -- Processes of an older release compare event types alone. So PostgreSQL refuses other types for
    -- a club's endpoint, whichever release writes them.
    alter table webhook_endpoints add constraint webhook_endpoints_club_types
      check (club_id is null or event_types::text ~ '^[{]club_offer[.][a-z_*]+(,club_offer[.][a-z_*]+)*[}]$');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_endpoints drop column club_id;
    drop trigger set_club_of_key on api_keys;
    drop function set_club_of_key();
    alter table api_keys drop column club_id;
    drop table club_offers;
  `);
}
