import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the work order and the customer of a phone number, and the messages of a work order. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists work_orders_phone
    on work_orders (tenant_id, right(regexp_replace(contact_phone, '\\D', '', 'g'), 10), id desc) where contact_phone is not null`);
  await knex.raw(`create index concurrently if not exists customers_phone
    on customers (tenant_id, right(regexp_replace(primary_phone, '\\D', '', 'g'), 10)) where primary_phone is not null`);
  await knex.raw(`create index concurrently if not exists messages_work_order
    on messages (tenant_id, work_order_id, id desc) where work_order_id is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists messages_work_order');
  await knex.raw('drop index concurrently if exists customers_phone');
  await knex.raw('drop index concurrently if exists work_orders_phone');
}
