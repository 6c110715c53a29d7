import type { Knex } from 'knex';

/** Adds when a text arrived, as the vendor reported it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table messages add column delivered_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table messages drop column delivered_at');
}
