import type { Knex } from 'knex';

/** Adds the time at which a vendor last left a write without a usable answer. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table outbound_operations add column unanswered_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table outbound_operations drop column unanswered_at');
}
