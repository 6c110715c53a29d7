import type { Knex } from 'knex';

/**
 * Stores when a person last opened a link that was mailed to the address: of a sign-up, an
 * invitation or a reset. Stores who invited a person; null for a key and for earlier invitations.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table users add column email_proved_at timestamptz');
  await knex.raw('alter table invitations add column invited_by uuid');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table invitations drop column invited_by');
  await knex.raw('alter table users drop column email_proved_at');
}
