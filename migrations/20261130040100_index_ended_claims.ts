import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the ended claims that a billing partner may still collect. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists claims_ended_at_partner on claims (tenant_id, connection_id, id)
    where connection_id is not null and status in ('withdrawn', 'expired')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists claims_ended_at_partner');
}
