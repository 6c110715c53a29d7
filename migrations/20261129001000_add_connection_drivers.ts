import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** The digits of a phone number and its +, without an extension. */
const DIGITS = `regexp_replace(split_part(lower(phone), 'x', 1), '[^0-9+]', '', 'g')`;

/**
 * The generated columns by which a vendor's driver and a driver here are compared: the phone number
 * in E.164, and the name without case and spaces. A number without a country code is one of North
 * America. The indexes are on these plain columns, because with row-level security PostgreSQL uses
 * no index on an expression.
 */
const KEYS = [
  `phone_e164 text generated always as (case
     when ${DIGITS} ~ '^[+][1-9][0-9]{6,14}$' then ${DIGITS}
     when ${DIGITS} ~ '^[2-9][0-9]{9}$' then '+1' || ${DIGITS}
     when ${DIGITS} ~ '^1[2-9][0-9]{9}$' then '+' || ${DIGITS}
     when ${DIGITS} ~ '^011[1-9][0-9]{6,14}$' then '+' || substr(${DIGITS}, 4) end) stored`,
  `name_key text generated always as (nullif(lower(regexp_replace(name, '\\s', '', 'g')), '')) stored`,
];

/** Adds the drivers that telematics vendors list. */
export async function up(knex: Knex): Promise<void> {
  // PostgreSQL writes the table anew, and locks it meanwhile: 1 s for 100,000 drivers.
  await knex.raw(`alter table drivers ${KEYS.map((key) => `add column ${key}`).join(', ')}`);
  await knex.raw(`
    create table connection_drivers (
      tenant_id uuid not null,
      -- Derived from the connection and the external id.
      id uuid not null,
      connection_id uuid not null,
      external_id text not null,
      name text,
      phone text,
      -- The read of the vendor's list that found it last.
      listed_by uuid not null,
      -- Null while the vendor lists it.
      removed_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      ${KEYS.join(', ')},
      primary key (tenant_id, id)
    );
    create index connection_drivers_of_connection on connection_drivers (tenant_id, connection_id, created_at desc, id desc);
    create index connection_drivers_phone on connection_drivers (tenant_id, connection_id, phone_e164) where phone_e164 is not null;
    create index connection_drivers_name on connection_drivers (tenant_id, connection_id, name_key) where name_key is not null;
    alter table connection_drivers enable row level security;
    alter table connection_drivers force row level security;
    create policy tenant_isolation on connection_drivers using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop table connection_drivers; alter table drivers drop column phone_e164, drop column name_key',
  );
}
