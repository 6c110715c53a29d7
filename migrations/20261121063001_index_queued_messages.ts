import type { Knex } from 'knex';

/** No transaction: `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Indexes the messages that the sweep looks for in each tenant. The index is nearly always empty.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists messages_queued');
  await knex.raw(
    `create index concurrently messages_queued on messages (tenant_id, attempt_after) where state = 'queued'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index messages_queued');
}
