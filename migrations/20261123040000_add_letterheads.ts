import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds columns for the letterhead that an account's invoices show, and a table for the account's
 * logo. The columns are nullable without a default, so no row is rewritten.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table tenants
      add column business_name text,
      add column address text,
      add column city text,
      add column state text,
      add column zip text,
      add column phone text,
      add column email text,
      add column remittance_text text;

    -- Apart from tenants, so that no query of settings reads a picture.
    create table account_logos (
      tenant_id uuid not null,
      content_type text not null check (content_type in ('image/png', 'image/jpeg')),
      width integer not null check (width > 0),
      height integer not null check (height > 0),
      -- Hexadecimal SHA-256 of the picture: its version.
      sha256 text not null,
      data bytea not null check (octet_length(data) <= 262144),
      updated_at timestamptz not null default now(),
      primary key (tenant_id),
      foreign key (tenant_id) references tenants
    );
    alter table account_logos enable row level security;
    alter table account_logos force row level security;
    create policy tenant_isolation on account_logos using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table account_logos;
    alter table tenants drop column business_name, drop column address, drop column city, drop column state, drop column zip,
      drop column phone, drop column email, drop column remittance_text;
  `);
}
