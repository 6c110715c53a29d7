import type { Knex } from 'knex';

/** Adds a nullable column. PostgreSQL does not rewrite existing rows for it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders add column gate_code text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders drop column gate_code');
}
