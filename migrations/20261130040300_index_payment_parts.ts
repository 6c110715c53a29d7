import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * Finds the parts of a payment in the books, which are named `{payment}/{invoice}`, by the range of
 * their names. PostgreSQL never used the index that this one replaces: under row-level security it
 * cannot use split_part, which is not leakproof.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists external_ids_of_payment
    on external_ids (tenant_id, connection_id, (external_id collate "C")) where kind = 'booked_payment'`);
  await knex.raw('drop index concurrently if exists external_ids_of_booked_payment');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists external_ids_of_booked_payment
    on external_ids (tenant_id, connection_id, split_part(external_id, '/', 1)) where kind = 'booked_payment'`);
  await knex.raw('drop index concurrently if exists external_ids_of_payment');
}
