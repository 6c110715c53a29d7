import type { Knex } from 'knex';

/**
 * Runs without a transaction. Validating the constraint reads all customers, and must not block
 * writes meanwhile.
 */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table customers validate constraint customers_rate_card');
}

/**
 * Does nothing, because PostgreSQL cannot undo a validation. Undoing add_rate_cards_and_impounds
 * drops the constraint.
 */
export async function down(): Promise<void> {}
