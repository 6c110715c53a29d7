import type { Knex } from 'knex';

/** No transaction: validating the constraint reads all customers and must not block writes. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table customers validate constraint customers_rate_card');
}

/**
 * Does nothing: PostgreSQL cannot undo a validation. add_rate_cards_and_impounds drops the
 * constraint.
 */
export async function down(): Promise<void> {}
