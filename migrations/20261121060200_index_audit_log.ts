import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Indexes the audit entries of one record and of one actor by time. Other queries use the primary
 * key, because its ids sort by time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists audit_entries_of_entity');
  await knex.raw(
    'create index concurrently audit_entries_of_entity on audit_entries (tenant_id, entity_id, id)',
  );
  await knex.raw('drop index concurrently if exists audit_entries_of_actor');
  await knex.raw(
    'create index concurrently audit_entries_of_actor on audit_entries (tenant_id, actor_id, id)',
  );
  await knex.raw('drop index concurrently if exists audit_entries_entity');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('create index audit_entries_entity on audit_entries (tenant_id, entity_type, entity_id)');
  await knex.raw('drop index audit_entries_of_actor');
  await knex.raw('drop index audit_entries_of_entity');
}
