import type { Knex } from 'knex';

/** Built beside the traffic: no transaction. */
export const config = { transaction: false };

/** What the sweep looks for in each tenant; nearly always empty. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists messages_queued');
  await knex.raw(
    `create index concurrently messages_queued on messages (tenant_id, attempt_after) where state = 'queued'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index messages_queued');
}
