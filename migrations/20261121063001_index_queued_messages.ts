import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Indexes the queued messages, which a sweep looks for in each tenant. The index is nearly always
 * empty.
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
