import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the customers and recurring invoices whose invoices are charged automatically. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `create index concurrently if not exists customers_with_autopay on customers (tenant_id, id) where autopay is not null`,
  );
  await knex.raw(`create index concurrently if not exists recurring_invoices_with_autopay
    on recurring_invoices (tenant_id, id) where autopay is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists recurring_invoices_with_autopay');
  await knex.raw('drop index concurrently if exists customers_with_autopay');
}
