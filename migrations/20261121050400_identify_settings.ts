import type { Knex } from 'knex';

/**
 * Adds an id to tenants. A tenant's settings can then be found by (tenant_id, id), like every other
 * record. The table has few rows, so rewriting it is quick.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants add column id uuid not null generated always as (tenant_id) stored');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants drop column id');
}
