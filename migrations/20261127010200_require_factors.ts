import type { Knex } from 'knex';

/** Adds the setting by which an account requires a second factor of everybody. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants add column require_factor boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants drop column require_factor');
}
