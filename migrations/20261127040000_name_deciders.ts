import type { Knex } from 'knex';

/**
 * Stores the name of the person who decides on an approval. Processes of the previous release
 * ignore the column.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table approvals add column decided_by_name text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table approvals drop column decided_by_name');
}
