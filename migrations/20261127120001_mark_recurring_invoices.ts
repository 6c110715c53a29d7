import type { Knex } from 'knex';

/**
 * Adds to invoices the recurring invoice from which the clock created them. The column is nullable
 * without a default, so no row is rewritten.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table invoices add column recurring_invoice_id uuid');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table invoices drop column recurring_invoice_id');
}
