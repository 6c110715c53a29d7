import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/** Indexes the invoices that an agent key has priced, by the time of pricing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists invoices_agent');
  await knex.raw(`create index concurrently invoices_agent on invoices (tenant_id, agent_id, agent_priced_at)
                  where agent_id is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index invoices_agent');
}
