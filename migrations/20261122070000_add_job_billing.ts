import type { Knex } from 'knex';

/**
 * Adds the work order fields that agents set: notes for the customer and the billing address. The
 * columns are nullable without a default, so no row is rewritten.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders add column customer_notes text, add column billing_email text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders drop column customer_notes, drop column billing_email');
}
