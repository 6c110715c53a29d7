import type { Knex } from 'knex';

/** Built beside the traffic: no transaction. */
export const config = { transaction: false };

/** The order in which a tenant's events are streamed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists events_order');
  await knex.raw('create index concurrently events_order on events (tenant_id, xid, id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index events_order');
}
