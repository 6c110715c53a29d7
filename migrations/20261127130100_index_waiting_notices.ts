import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the items of webhooks whose record was not read yet, by when it is due. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists inbound_notices_waiting
    on inbound_notices (tenant_id, connection_id, due_at) where is_waiting`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists inbound_notices_waiting');
}
