import type { Knex } from 'knex';

/**
 * Adds the time at which a mail was counted for its day. Null means not counted yet. `attempts`
 * does not show this, because a worker may die between the attempt and the count.
 *
 * The columns are nullable without a default, so no row is rewritten and the locks are short.
 * Processes of the previous version leave them null. A mail that they have counted may be counted
 * again; this never lets more mails out than the limit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table messages add column counted_at timestamptz');
  await knex.raw('alter table notice_mails add column counted_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table messages drop column counted_at');
  await knex.raw('alter table notice_mails drop column counted_at');
}
