import type { Knex } from 'knex';

/** A tenant's settings are a record like any other: found by (tenant_id, id). There are few tenants, so the rewrite is short. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants add column id uuid not null generated always as (tenant_id) stored');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants drop column id');
}
