import type { Knex } from 'knex';

/**
 * Adds the networks from which a user has signed in, so that password guessing from elsewhere does
 * not lock the user out of these networks. The column holds a limited number of hashed networks,
 * each with the time of the last sign-in. A constant default rewrites no row, and the previous
 * version ignores the column.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table users add column sign_in_addresses jsonb not null default '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column sign_in_addresses');
}
