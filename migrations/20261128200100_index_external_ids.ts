import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the parts of a payment in the books, which are named `{payment}/{invoice}`. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists external_ids_of_booked_payment
    on external_ids (tenant_id, connection_id, split_part(external_id, '/', 1)) where kind = 'booked_payment'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists external_ids_of_booked_payment');
}
