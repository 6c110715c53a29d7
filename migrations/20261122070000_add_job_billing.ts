import type { Knex } from 'knex';

/**
 * Adds two fields that agents set in work orders: notes for the customer, and the billing e-mail
 * address. The columns are nullable without a default, so no row is rewritten.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders add column customer_notes text, add column billing_email text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders drop column customer_notes, drop column billing_email');
}
