import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds a payment by its vendor's id, and lists refunds. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create unique index concurrently if not exists payments_of_vendor
    on payments (tenant_id, connection_id, provider_payment_id) where provider_payment_id is not null`);
  await knex.raw(`create index concurrently if not exists refunds_created
    on refunds (tenant_id, created_at desc, id desc)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists refunds_created');
  await knex.raw('drop index concurrently if exists payments_of_vendor');
}
