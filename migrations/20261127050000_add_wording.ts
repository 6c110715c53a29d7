import type { Knex } from 'knex';

/**
 * Adds columns for an account's own texts of messages. They are nullable without a default, so no
 * row is rewritten.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table tenants add column mail_subject text, add column mail_text text, add column sms_text text`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table tenants drop column mail_subject, drop column mail_text, drop column sms_text`);
}
