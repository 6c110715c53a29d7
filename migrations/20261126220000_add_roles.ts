import type { Knex } from 'knex';

/**
 * Gives each person a role. The people of today could do everything, so they become owners. The
 * default is constant, so no row is rewritten. Processes of the previous release ignore the column:
 * whoever they add is an owner.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table users add column role text not null default 'owner'
    check (role in ('owner', 'admin', 'dispatcher', 'bookkeeper', 'driver', 'viewer'))`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column role');
}
