import type { Knex } from 'knex';

/** Built beside the traffic: no transaction. */
export const config = { transaction: false };

/** A customer's statement reads all their payments. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists payments_customer');
  await knex.raw(
    'create index concurrently payments_customer on payments (tenant_id, customer_id, received_at)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index payments_customer');
}
