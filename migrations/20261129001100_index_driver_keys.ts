import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the driver who a vendor's driver probably is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index concurrently if not exists drivers_phone on drivers (tenant_id, phone_e164) where phone_e164 is not null',
  );
  await knex.raw('create index concurrently if not exists drivers_name on drivers (tenant_id, name_key)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists drivers_phone');
  await knex.raw('drop index concurrently if exists drivers_name');
}
