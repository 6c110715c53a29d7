import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Indexes the payments of a customer, because the customer's account statement reads all of them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists payments_customer');
  await knex.raw(
    'create index concurrently payments_customer on payments (tenant_id, customer_id, received_at)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index payments_customer');
}
