import type { Knex } from 'knex';

/** The column is nullable, so PostgreSQL rewrites no row. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders add column gate_code text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders drop column gate_code');
}
