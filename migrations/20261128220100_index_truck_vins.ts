import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the truck that a vendor's vehicle is, by its VIN. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists trucks_vin on trucks (tenant_id, upper(vin))
    where vin is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists trucks_vin');
}
