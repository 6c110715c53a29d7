import type { Knex } from 'knex';

/**
 * Adds columns for the time at which a mail was counted for its day. Null means that the mail is
 * not counted yet. `attempts` does not show this, because a worker may die between the attempt and
 * the count.
 *
 * The columns are nullable without a default, so no row is rewritten and the locks are short.
 * Processes of the previous release may still run, and leave these columns null. A mail that such a
 * process has counted may be counted again. So an account may send fewer mails than the limit, but
 * never more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table messages add column counted_at timestamptz');
  await knex.raw('alter table notice_mails add column counted_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table messages drop column counted_at');
  await knex.raw('alter table notice_mails drop column counted_at');
}
