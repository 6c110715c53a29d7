import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/** Indexes a tenant's events in the sequence in which they are streamed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists events_order');
  await knex.raw('create index concurrently events_order on events (tenant_id, xid, id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index events_order');
}
