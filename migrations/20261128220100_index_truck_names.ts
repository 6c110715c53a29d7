import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * Finds the truck that a vendor's vehicle probably is. The indexes are on the plain columns,
 * because with row-level security PostgreSQL uses no index on an expression such as lower(…).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('create index concurrently if not exists trucks_vin on trucks (tenant_id, vin)');
  await knex.raw('create index concurrently if not exists trucks_unit on trucks (tenant_id, unit_number)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists trucks_vin');
  await knex.raw('drop index concurrently if exists trucks_unit');
}
