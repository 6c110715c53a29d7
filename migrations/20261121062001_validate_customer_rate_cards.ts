import type { Knex } from 'knex';

/** Reads all customers without holding up the traffic: no transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table customers validate constraint customers_rate_card');
}

/** A constraint cannot be made unchecked again; add_rate_cards_and_impounds takes it away. */
export async function down(): Promise<void> {}
