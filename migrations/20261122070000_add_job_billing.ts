import type { Knex } from 'knex';

/** What agents say of a job beside what REST knew: words for the customer, and where to bill. Nullable without a default: no row is rewritten. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders add column customer_notes text, add column billing_email text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders drop column customer_notes, drop column billing_email');
}
