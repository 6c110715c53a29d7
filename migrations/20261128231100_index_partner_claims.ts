import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the claims whose state the worker still polls at a billing partner. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists claims_at_partner on claims (tenant_id, connection_id, id)
    where connection_id is not null and status in ('submitted', 'accepted', 'denied', 'rebilling', 'short_paid')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists claims_at_partner');
}
