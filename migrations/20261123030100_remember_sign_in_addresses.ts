import type { Knex } from 'knex';

/**
 * Adds a column to the table of users, for the networks from which a user has signed in. If an
 * attacker elsewhere guesses passwords, the user can still sign in from these networks. The column
 * contains a limited number of hashed networks, each with the time of the last sign-in. Its default
 * is constant, so no row is rewritten. Processes of the previous release ignore the column.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table users add column sign_in_addresses jsonb not null default '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column sign_in_addresses');
}
