import type { Knex } from 'knex';

/**
 * Where people have signed in from: guessing from elsewhere does not keep them out there. Marks of
 * networks with the time of the last sign-in, a bounded number for each person. A constant default
 * rewrites no row, and processes of the version before neither read nor write the column.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table users add column sign_in_addresses jsonb not null default '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column sign_in_addresses');
}
